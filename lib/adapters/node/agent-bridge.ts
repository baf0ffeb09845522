/** Where programs in a sandbox reach the proxy: their network holds nothing but this port. */
const PORT = 3_128
export const PROXY_URL = `http://127.0.0.1:${PORT}`

/**
 * The near end of the proxy, run inside of the sandbox by the service's own Node with the words `<socket> <program>…`:
 * passes connections from the port on to the socket, and ends as the program does.
 */
export const bridge = `
const net = require('node:net')
const { spawn } = require('node:child_process')
const { constants } = require('node:os')
const [socket, file, ...args] = process.argv.slice(1)
// The signals are for the program: its end is the end of this.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined)
const server = net.createServer({ allowHalfOpen: true }, (near) => {
  const far = net.connect({ path: socket, allowHalfOpen: true })
  for (const [from, to] of [[near, far], [far, near]]) from.on('error', () => to.destroy()).pipe(to)
})
server.listen(${PORT}, '127.0.0.1', () => {
  spawn(file, args, { stdio: 'inherit' }).on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
})
`
