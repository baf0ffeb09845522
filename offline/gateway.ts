import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Config } from '../lib/config.ts'
import { freePort } from './emulators.ts'

const READY_WITHIN_MS = 45_000
const program = fileURLToPath(new URL('../node_modules/.bin/serverless', import.meta.url))

/** serverless-offline in a process of its own: API Gateway and the functions behind it, as serverless.yml has them. */
export const startGateway = async ({ HOST, PORT }: Config) => {
  const port = PORT === 0 ? await freePort() : PORT
  const ports = ['--httpPort', port, '--lambdaPort', await freePort(), '--albPort', await freePort()]
  const args = [program, 'offline', 'start', '--host', HOST, '--noPrependStageInUrl', ...ports.map(String)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      const text = chunk.toString()
      said.push(text)
      said.splice(0, said.length - 50)
      // What the functions log is JSON; the rest is serverless-offline's own talk.
      for (const line of text.split('\n')) if (line.startsWith('{')) process.stdout.write(`${line}\n`)
    })
  const url = `http://${HOST}:${port}`
  await ready(url, child, said)
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill()
    await ended
  }
  return { url, stop }
}

const ready = async (url: string, child: ChildProcess, said: readonly string[]): Promise<void> => {
  for (let waited = 0; waited < READY_WITHIN_MS; waited += 200) {
    if (child.exitCode !== null) break
    const answer = await fetch(`${url}/api/health`).catch(() => undefined)
    if (answer?.ok) return
    await sleep(200)
  }
  throw new Error(`serverless-offline is not ready within ${READY_WITHIN_MS / 1_000} s:\n${said.join('')}`)
}
