import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { compiled } from '../fakes/compiled.ts'
import { root } from './serverless.ts'

/** A test that fails by its time-out never comes to stopping it. */
const MOST_MS = 600_000

/** Tells the parent the port on which a program listens: one that is chosen before it starts may be another's by then. */
const TELLS_ITS_PORT = `data:text/javascript,${encodeURIComponent(`
  import { subscribe } from 'node:diagnostics_channel'
  subscribe('tracing:net.server.listen:asyncEnd', ({ server }) => process.send(server.address().port))
`)}`

/** Runs a program of the container as Lambda would, and waits until it listens. */
export const startProgram = async (args: readonly string[], env: Record<string, string> = {}) => {
  const child = spawn(process.execPath, ['--import', TELLS_ITS_PORT, ...args], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      TMPDIR: process.env.TMPDIR,
      PORT: '0',
      LOG_LEVEL: 'silent',
      ...compiled,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    timeout: MOST_MS,
    killSignal: 'SIGKILL',
  })
  let said = ''
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  const closed = once(child, 'close')
  /** What it has logged. */
  const logged = (): unknown[] =>
    said
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  const stop = async () => {
    child.kill('SIGTERM')
    await closed
  }
  const [port] = await Promise.race([once(child, 'message'), closed.then(() => [])])
  if (typeof port !== 'number') throw new Error(`${args.join(' ')} does not listen: ${said}`)
  return { url: `http://127.0.0.1:${port}`, stop, logged }
}
