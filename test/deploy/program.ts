import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { compiled } from '../fakes/compiled.ts'
import { root } from './serverless.ts'

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Runs a program of the container as Lambda would, and waits until it answers. */
export const startProgram = async (args: readonly string[], env: Record<string, string> = {}) => {
  const port = await freePort()
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { PATH: process.env.PATH, PORT: String(port), LOG_LEVEL: 'silent', ...compiled, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  /** What it has logged. */
  const logged = (): unknown[] =>
    said
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  const url = `http://127.0.0.1:${port}`
  const stop = async () => {
    if (child.exitCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
  for (let tries = 0; tries < 500 && child.exitCode === null; tries += 1) {
    if (await fetch(url).catch(() => undefined)) return { url, stop, logged }
    await sleep(20)
  }
  await stop()
  throw new Error(`${args.join(' ')} does not answer: ${said}`)
}
