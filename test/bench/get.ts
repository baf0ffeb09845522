import { join } from 'node:path'
import { end, start } from './children.ts'
import { openConnection } from './connection.ts'
import { startFilled } from './filled.ts'
import { freePort } from './free-port.ts'
import type { Options } from './options.ts'
import { benchDir } from './paths.ts'
import { median } from './quantile.ts'
import { atLeast, type Row } from './row.ts'
import { plainEnv, ready } from './system.ts'
import { pathsScript, requestsPerS } from './wrk.ts'

/** Those that were worked on last are at hand; the first of so many have to be read again. */
const TASKS = 4_000
const ASKED = 400

/** GET of one task against a bare node:http server that sends the same bytes; all take turns, warm-up first. */
export const getOne = async ({ rounds, entry }: Options): Promise<Row[]> => {
  const { service, ids } = await startFilled(entry, TASKS)
  const paths = ids.map((id) => `/api/tasks/${id}`)
  const bare = await startBare(await fetchBody(service.port, paths[0] ?? ''))
  const [recent, older] = [pathsScript(paths.slice(-ASKED)), pathsScript(paths.slice(0, ASKED))]
  const taken = { recent: [] as number[], older: [] as number[], bare: [] as number[] }
  for (let round = 0; round <= rounds; round++) {
    taken.recent.push(await requestsPerS(service.port, recent))
    taken.bare.push(await requestsPerS(bare.port, recent))
    taken.older.push(await requestsPerS(service.port, older))
  }
  await service.stop()
  await end(bare.child)
  const held = (measure: string, ours: readonly number[]) => {
    const kept = { ours: ours.slice(1), against: taken.bare.slice(1) }
    const medians = { ours: median(kept.ours), against: median(kept.against) }
    return atLeast(0.4, { measure, unit: '/s', opponent: 'bare node:http', ...medians, rounds: kept })
  }
  return [held('GET one task, worked on lately', taken.recent), held('GET one task, older', taken.older)]
}

const fetchBody = async (port: number, path: string): Promise<string> => {
  const connection = await openConnection(port)
  const { status, text } = await connection.ask('GET', path)
  connection.close()
  if (status !== 200) throw new Error(`GET ${path} answered ${status}`)
  return text
}

const startBare = async (body: string) => {
  const port = await freePort()
  const child = start(process.execPath, [join(benchDir, 'bare-server.ts'), String(port), body], {
    env: plainEnv(),
  })
  await ready(port, child)
  return { port, child }
}
