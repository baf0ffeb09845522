/**
 * The end of the sockets inside of the sandbox. The service's own Node runs it with the words `<port>=<socket>… --
 * <program>…`: it passes connections from each port to its socket, and ends with the program.
 */
export const bridge = `
const net = require('node:net')
const { once } = require('node:events')
const { spawn } = require('node:child_process')
const { constants } = require('node:os')
const words = process.argv.slice(1)
const pairs = words.splice(0, words.indexOf('--')).map((pair) => pair.split('='))
const [, file, ...args] = words
// The program handles the signals: its end is the end of this process.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined)
const listening = pairs.map(([port, socket]) => {
  const server = net.createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const far = net.connect({ path: socket, allowHalfOpen: true })
    for (const [from, to] of [[near, far], [far, near]]) from.on('error', () => to.destroy()).pipe(to)
  })
  return once(server.listen(Number(port), '127.0.0.1'), 'listening')
})
Promise.all(listening).then(() => {
  spawn(file, args, { stdio: 'inherit' }).on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
})
`
