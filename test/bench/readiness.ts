import type { Options } from './options.ts'
import { median } from './quantile.ts'
import { atMost, type Row } from './row.ts'
import { startService } from './service.ts'

const LIMIT_S = 1.5

/** From spawning the process to the first 200 of GET /api/health/ready, each time with new data. */
export const readiness = async ({ rounds, entry }: Options): Promise<Row[]> => {
  const ours: number[] = []
  for (let round = 0; round < rounds; round++) {
    const service = await startService(entry)
    ours.push(service.readyAfterMs / 1000)
    await service.stop()
  }
  const held = { ours: median(ours), against: LIMIT_S, rounds: { ours, against: [LIMIT_S] } }
  return [atMost(1, { measure: 'process start to ready', unit: 's', opponent: 'limit', ...held })]
}
