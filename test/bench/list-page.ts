import { openConnection } from './connection.ts'
import { startFilled } from './filled.ts'
import type { Options } from './options.ts'
import { median } from './quantile.ts'
import { atLeast, type Row } from './row.ts'
import { pathsScript, requestsPerS } from './wrk.ts'

const PAGES_PER_S = 2_000
const NEWEST = '/api/tasks?limit=50'
/** Tasks that were worked on last are at hand; those so many pages further back have to be read. */
const PAGES_BACK = 10

/** The newest 50 tasks as a page of the list, and the 50 of a page further back by its cursor. */
export const listPage = async ({ rounds, entry }: Options): Promise<Row[]> => {
  const { service } = await startFilled(entry, 1_000)
  const newest = pathsScript([NEWEST])
  const older = pathsScript([`${NEWEST}&cursor=${await firstPageCursor(service.port)}`])
  const taken = { newest: [] as number[], older: [] as number[] }
  for (let round = 0; round <= rounds; round++) {
    taken.newest.push(await requestsPerS(service.port, newest))
    taken.older.push(await requestsPerS(service.port, older))
  }
  await service.stop()
  const held = (measure: string, figures: readonly number[]) => {
    const ours = figures.slice(1)
    const limit = { against: PAGES_PER_S, opponent: 'limit', rounds: { ours, against: [PAGES_PER_S] } }
    return atLeast(1, { measure, unit: '/s', ours: median(ours), ...limit })
  }
  return [held('page of 50 tasks, the newest', taken.newest), held('page of 50 tasks, older', taken.older)]
}

const firstPageCursor = async (port: number): Promise<string> => {
  const connection = await openConnection(port)
  let cursor = ''
  for (let page = 0; page < PAGES_BACK; page++) {
    const { text } = await connection.ask('GET', cursor === '' ? NEWEST : `${NEWEST}&cursor=${cursor}`)
    cursor = JSON.parse(text).nextCursor
  }
  connection.close()
  return cursor
}
