import { setTimeout as sleep } from 'node:timers/promises'
import type { Options } from './options.ts'
import { startPeer } from './peer.ts'
import { median } from './quantile.ts'
import { type Round, runRound } from './round.ts'
import { atLeast, atMost, type Row } from './row.ts'
import { startService } from './service.ts'

const TASKS = 5_000
/** Redis writes its log to disk up to a second after a round; the next round must not wait for that disk. */
const QUIET_MS = 1_200
/** Rounds until both have compiled what they run often; they do not count. */
const WARM_UP = 3

/**
 * Create to completed, against the peer. Both systems are started fresh and kept up for all rounds, as services are;
 * they take turns, and the first rounds do not count. The one that is not being driven idles.
 */
export const endToEnd = async ({ rounds, entry }: Options): Promise<Row[]> => {
  const service = await startService(entry)
  const peer = await startPeer()
  const ours: Round[] = []
  const theirs: Round[] = []
  for (let round = 0; round < rounds + WARM_UP; round++) {
    ours.push(await runRound(service, TASKS))
    await sleep(QUIET_MS)
    theirs.push(await runRound(peer, TASKS))
    await sleep(QUIET_MS)
  }
  await service.stop()
  await peer.stop()
  const held = (measure: string, unit: string, of: keyof Round) => {
    const taken = {
      ours: ours.slice(WARM_UP).map((r) => r[of]),
      against: theirs.slice(WARM_UP).map((r) => r[of]),
    }
    return {
      measure,
      unit,
      ours: median(taken.ours),
      against: median(taken.against),
      opponent: 'peer',
      rounds: taken,
    }
  }
  return [
    atLeast(1.5, held('tasks from POST to completed', '/s', 'tasksPerS')),
    atMost(1, held('dispatch p50', 'ms', 'dispatchP50Ms')),
    atMost(1, held('dispatch p99', 'ms', 'dispatchP99Ms')),
    atMost(1, held('POST p99', 'ms', 'postP99Ms')),
  ]
}
