import { createClock } from '../../../lib/adapters/node/clock.ts'
import { collections } from '../../../lib/collections.ts'
import { tasks as taskRows } from '../../../lib/tasks/rows.ts'
import { createTotals } from '../../../lib/tasks/totals.ts'
import { meterCapacity } from '../../../offline/capacity.ts'
import { startDynoxide } from '../../../offline/emulators.ts'
import { body, lifeOf, principal, tasksOn } from '../../adapters/dynamodb/life.ts'
import { openClient, openTables } from '../../adapters/dynamodb/opened.ts'
import { atMost, type Row } from '../row.ts'

const TASKS = 5_000
const TOGETHER = 100

/** What the operations of the service take of DynamoDB's capacity, as the emulator counts it. */
export const capacity = async (): Promise<Row[]> => {
  const emulator = await startDynoxide()
  const client = openClient(emulator.endpoint)
  const meter = meterCapacity(client)
  const { store } = await openTables({ client, collections, clock: createClock() })
  const tasks = tasksOn(store)
  const row = (measure: string, unit: string, ours: number, against: number) =>
    atMost(1, { measure, unit, ours, against, opponent: 'limit' })
  const written = async (prompt?: string): Promise<number> => {
    const life = await lifeOf(tasks, meter, prompt === undefined ? {} : { prompt })
    return life.created.write + life.claimed.write + life.completed.write
  }
  const readBy = async (work: () => Promise<unknown>): Promise<number> => {
    meter()
    await work()
    return meter().read
  }
  const small = await written()
  const large = await written('p'.repeat(3_000))
  for (let made = 0; made < TASKS; made += TOGETHER)
    await Promise.all(Array.from({ length: TOGETHER }, () => tasks.create(principal, body())))
  const rows = [
    row('created, claimed, completed at 0.6 kB', 'WU', small, 20),
    row('the same with a prompt of 3 kB, more', 'WU', large - small, 10),
    row(
      `newest 50 of ${TASKS}`,
      'RU',
      await readBy(() => store.page(taskRows, { index: 'newest', order: 'desc', limit: 50 })),
      16,
    ),
    row(
      'queue status',
      'RU',
      await readBy(() => Promise.all([createTotals(store).byStatus(), store.tallies('dlq')])),
      8,
    ),
    row('analytics', 'RU', await readBy(() => tasks.analytics()), 8),
  ]
  client.destroy()
  await emulator.stop()
  return rows
}
