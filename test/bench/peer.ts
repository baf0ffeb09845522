import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { discard, end, scratch, start } from './children.ts'
import { freePort } from './free-port.ts'
import { benchDir } from './paths.ts'
import { startRedis } from './redis.ts'
import { machineMs } from './starts.ts'
import { plainEnv, ready, type System } from './system.ts'

const folder = join(benchDir, 'peer')

const install = (): void => {
  if (existsSync(join(folder, 'node_modules/bullmq'))) return
  console.error('Installing the peer (npm install in test/bench/peer) …')
  execFileSync('npm', ['install', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  })
}

/** Starts Redis and one process of Fastify and BullMQ on it, ready for requests. */
export const startPeer = async (): Promise<System> => {
  install()
  const data = scratch('peer')
  const redis = await startRedis(data)
  const port = await freePort()
  const startsFile = join(data, 'starts')
  const env = { ...plainEnv(), PORT: String(port), REDIS_SOCKET: redis.socket, BENCH_STARTS_FILE: startsFile }
  const spawnedMs = machineMs()
  const child = start(process.execPath, [join(folder, 'server.ts')], { cwd: data, env })
  const readyAfterMs = (await ready(port, child)) - spawnedMs
  const stop = async () => {
    // Redis goes last: a worker that loses it while ending would complain.
    child.kill('SIGKILL')
    await end(redis.child)
    discard(data)
  }
  return { port, child, startsFile, readyAfterMs, stop }
}
