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

const TASKS = 1_000

/** GET of one task against a bare node:http server that sends the same bytes; they take turns, warm-up first. */
export const getOne = async ({ rounds, entry }: Options): Promise<Row[]> => {
  const { service, ids } = await startFilled(entry, TASKS)
  const paths = ids.map((id) => `/api/tasks/${id}`)
  const bare = await startBare(await bodyOf(service.port, paths[0] ?? ''))
  const script = pathsScript(paths)
  const ours: number[] = []
  const against: number[] = []
  for (let round = 0; round <= rounds; round++) {
    ours.push(await requestsPerS(service.port, script))
    against.push(await requestsPerS(bare.port, script))
  }
  await service.stop()
  await end(bare.child)
  const taken = { ours: ours.slice(1), against: against.slice(1) }
  const held = { ours: median(taken.ours), against: median(taken.against), rounds: taken }
  return [atLeast(0.4, { measure: 'GET one task', unit: '/s', opponent: 'bare node:http', ...held })]
}

const bodyOf = async (port: number, path: string): Promise<string> => {
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
