/** The port of the proxy in a sandbox, whose network has nothing else. */
const PORT = 3_128
export const PROXY_URL = `http://127.0.0.1:${PORT}`

/**
 * The end of the proxy inside of the sandbox. The service's own Node runs it with the words `<socket> <program>…`: it
 * passes connections from the port to the socket, and ends with the program.
 */
export const bridge = `
const net = require('node:net')
const { spawn } = require('node:child_process')
const { constants } = require('node:os')
const [socket, file, ...args] = process.argv.slice(1)
// The program handles the signals: its end is the end of this process.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined)
const server = net.createServer({ allowHalfOpen: true }, (near) => {
  const far = net.connect({ path: socket, allowHalfOpen: true })
  for (const [from, to] of [[near, far], [far, near]]) from.on('error', () => to.destroy()).pipe(to)
})
server.listen(${PORT}, '127.0.0.1', () => {
  spawn(file, args, { stdio: 'inherit' }).on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
})
`
