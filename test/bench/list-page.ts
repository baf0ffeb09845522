import { startFilled } from './filled.ts'
import type { Options } from './options.ts'
import { median } from './quantile.ts'
import { atLeast, type Row } from './row.ts'
import { pathsScript, requestsPerS } from './wrk.ts'

const PAGES_PER_S = 2_000

/** The newest 50 tasks, as a page of the list. */
export const listPage = async ({ rounds, entry }: Options): Promise<Row[]> => {
  const { service } = await startFilled(entry, 1_000)
  const script = pathsScript(['/api/tasks?limit=50'])
  const figures: number[] = []
  for (let round = 0; round <= rounds; round++) figures.push(await requestsPerS(service.port, script))
  await service.stop()
  const ours = figures.slice(1)
  const rows = { ours, against: [PAGES_PER_S] }
  const held = { ours: median(ours), against: PAGES_PER_S, opponent: 'limit', rounds: rows }
  return [atLeast(1, { measure: 'page of 50 tasks', unit: '/s', ...held })]
}
