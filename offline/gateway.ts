import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Config } from '../lib/config/config.ts'
import { freePort } from './emulators.ts'

const READY_WITHIN_MS = 240_000
const STOPS_WITHIN_MS = 7_000
const root = fileURLToPath(new URL('..', import.meta.url))
const program = path.join(root, 'node_modules/.bin/serverless')

/** serverless-offline in its own process; `output` is its latest output. */
const launch = (options: readonly string[], folder: string) => {
  const child = spawn(process.execPath, [program, 'offline', 'start', ...options], {
    cwd: root,
    env: {
      ...process.env,
      OFFLINE_GATEWAY: '1',
      BUNDLES_FOLDER: path.relative(root, path.join(folder, 'bundles')),
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  })
  const output: string[] = []
  for (const input of [child.stdout, child.stderr].filter((stream) => stream !== null))
    createInterface({ input }).on('line', (line) => {
      output.push(line)
      output.splice(0, output.length - 50)
      // The functions log JSON; other lines are serverless-offline's own.
      if (line.startsWith('{')) process.stdout.write(`${line}\n`)
    })
  const ended = once(child, 'exit').then(() => 'serverless-offline')
  const stop = async () => {
    child.kill()
    const late = setTimeout(() => child.kill('SIGKILL'), STOPS_WITHIN_MS)
    await ended
    clearTimeout(late)
  }
  return { child, output, ended, stop }
}

/**
 * API Gateway and the functions behind it, as in serverless.yml. The plugin in their process ends it when this process is
 * gone, and reports when requests are accepted.
 */
export const startGateway = async ({ HOST, PORT, MEMORY_EXPAND }: Config, folder: string) => {
  const port = PORT === 0 ? await freePort() : PORT
  const ports = ['--httpPort', port, '--lambdaPort', await freePort()].map(String)
  // In worker threads each concurrent request would open the whole service again.
  const ways = ['--noPrependStageInUrl', '--useInProcess', '--disableCookieValidation', '--noSponsor']
  // The paths of the distribution depend on it; other settings are in the environment.
  const params = ['--param', `memoryExpand=${MEMORY_EXPAND}`]
  const { child, output, ended, stop } = launch(['--host', HOST, ...ports, ...ways, ...params], folder)
  const ready = once(child, 'message', { signal: AbortSignal.timeout(READY_WITHIN_MS) }).then(
    () => undefined,
    () => `was not ready within ${READY_WITHIN_MS / 1_000} s`,
  )
  const failure = await Promise.race([ready, ended.then(() => 'ended before it was ready')])
  if (failure !== undefined) {
    await stop()
    throw new Error(`serverless-offline ${failure}:\n${output.join('\n')}`)
  }
  const host = HOST.includes(':') ? `[${HOST}]` : HOST
  return { url: `http://${host}:${port}`, stop, ended }
}
