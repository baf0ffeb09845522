import { setTimeout as sleep } from 'node:timers/promises'
import { iso } from '../../lib/core/time.ts'
import { LETTER_TOTALS } from '../../lib/queue/rows.ts'
import { taskEvents } from '../../lib/tasks/rows.ts'
import type { TaskEvent } from '../../lib/tasks/schema.ts'
import type { startCloud } from './cloud.ts'
import type { Functions } from './functions.ts'
import { besides } from './use-seldom.ts'

const HOUR_MS = 3_600_000
/** Totals are looked at once they rest, and not after every tick. */
const MOST_TICKS = 50

type Cloud = Awaited<ReturnType<typeof startCloud>>

/** Totals of the dead letters that are wrong, and a tick that died before it had corrected them. */
export const useCorrection = async ({ invoke }: Functions, cloud: Cloud): Promise<void> => {
  const { store, clock, stop } = await besides(cloud)
  const { tally, member } = LETTER_TOTALS
  const totals = async () => (await store.tallies(tally))[member] ?? {}
  const { corrections = 0 } = await totals()
  const begun: TaskEvent = {
    ...{ id: `evt_${String(corrections).padStart(9, '0')}`, taskId: `#${tally}`, type: 'progress' },
    ...{ timestamp: iso(clock.now() - HOUR_MS), message: 'begun' },
  }
  await store.commit<TaskEvent>({ insert: taskEvents, row: begun }, [{ tally, member, add: { pending: 1 } }])
  for (let n = 0; n < MOST_TICKS; n++) {
    await invoke('tick', {})
    if ((await totals()).corrections === corrections + 1) return void stop()
    await sleep(100)
  }
  throw new Error('The ticks did not correct the totals')
}
