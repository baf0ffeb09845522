import { createServer } from 'node:http'

const [port = '0', body = ''] = process.argv.slice(2)
const bytes = Buffer.from(body, 'latin1')
const headers = { 'content-type': 'application/json', 'content-length': bytes.length }

// All that node:http can do with no service behind it: the yardstick for what a route costs.
createServer((_, response) => response.writeHead(200, headers).end(bytes)).listen(Number(port), '127.0.0.1')
