import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { discard, end, scratch, start } from './children.ts'
import { freePort } from './free-port.ts'
import { benchDir, repository, startFlags } from './paths.ts'
import { machineMs } from './starts.ts'
import { plainEnv, ready, type System } from './system.ts'

/**
 * Starts `entry` as `npm start` does bin/start.js, with the same flags of Node, with the no-op agent and a data folder of its own, ready for
 * requests. It logs at the default level, to a file. Another tree's entry serves to compare two versions.
 */
export const startService = async (entry: string, settings: NodeJS.ProcessEnv = {}): Promise<System> => {
  const data = scratch('service')
  const port = await freePort()
  const startsFile = join(data, 'starts')
  const env = {
    ...plainEnv(),
    PORT: String(port),
    DATA_DIR: join(data, 'data'),
    WORKSPACES_DIR: join(data, 'workspaces'),
    MEMORY_DIR: join(data, 'memory'),
    AGENT_ADAPTERS: join(benchDir, 'noop-adapter.ts'),
    DEFAULT_AGENT: 'noop',
    QUEUE_CONCURRENCY: '10',
    BENCH_STARTS_FILE: startsFile,
    ...settings,
  }
  const spawnedMs = machineMs()
  const log = openSync(join(data, 'log'), 'w')
  const stdio = ['ignore', log, 'inherit'] as const
  const child = start(process.execPath, [...startFlags(), entry], { cwd: repository, env, stdio: [...stdio] })
  closeSync(log)
  const readyAfterMs = (await ready(port, child)) - spawnedMs
  const stop = async () => {
    await end(child)
    discard(data)
  }
  return { port, child, startsFile, readyAfterMs, stop }
}
