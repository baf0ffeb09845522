import { beforeAll, describe, expect, it } from '@jest/globals'
import { collections } from '../../../lib/collections.ts'
import type { Store } from '../../../lib/ports/store.ts'
import { taskMessages, tasks as taskRows } from '../../../lib/tasks/rows.ts'
import { hasDynoxide, startDynoxide } from '../../../offline/emulators.ts'
import { startReceiver } from '../../adapters/outbound-receiver.ts'
import { createCaller } from '../../fakes/caller.ts'
import { createFakeClock } from '../../fakes/clock.ts'
import { databaseForTests } from '../../fakes/database.ts'
import { startDomains } from '../../fakes/service.ts'
import { type Capacity, meterCapacity } from './capacity-meter.ts'
import { taskLifeCosts } from './life.ts'
import { openTables } from './opened.ts'

const TASKS = 12
const MOST_EACH = 8
/** What the stream consumer hands on for a task, in batches as the notify function gets them. */
const BATCH = 10

if (!hasDynoxide()) console.error('dynoxide is not installed for this machine: nothing counts capacity units')
const suite = hasDynoxide() ? describe : describe.skip
suite('the capacity units of webhooks', () => {
  const database = databaseForTests(startDynoxide)
  let meter: () => Capacity
  let store: Store
  beforeAll(async () => {
    const { client } = database()
    store = (await openTables({ client, collections, clock: createFakeClock() })).store
    meter = meterCapacity(client)
  })

  /** A service over the tables whose messages are delivered by hand, as the functions are by the stream. */
  const started = () =>
    startDomains({
      background: false,
      wrapStore: () => store,
      env: { OUTBOUND_ALLOW_HOSTS: '127.0.0.1' },
    })
  type Service = Awaited<ReturnType<typeof started>>

  /** Tasks from creation to completion, and the notices of what was heard of them. */
  const lived = async ({ tasks, handleNotice, deliveries }: Service): Promise<number> => {
    let units = 0
    const notices: object[] = []
    for (let n = 0; n < TASKS; n += 1) {
      const { id, created, claimed, completed } = await taskLifeCosts(tasks, meter)
      units += created.write + claimed.write + completed.write
      const row = await store.get(taskRows, id)
      const log = await store.log(taskRows, id)
      const sends = taskMessages({ before: undefined, after: row, log })
      notices.push(...sends.filter(({ to }) => to === 'notices').map(({ body }) => body))
    }
    meter()
    for (let at = 0; at < notices.length; at += BATCH) {
      const batch = notices.slice(at, at + BATCH)
      await Promise.all(batch.map((notice) => handleNotice(notice as never)))
      await deliveries.settled()
    }
    return units + meter().write
  }

  it(`are at most ${MOST_EACH} more written for each event that is delivered`, async () => {
    await using receiver = await startReceiver()
    await using service = await started()
    const alone = await lived(service)
    const call = createCaller(service)
    const { status } = await call('POST /api/webhooks', { body: { url: receiver.url, events: ['*'] } })
    expect(status).toBe(201)
    const heard = await lived(service)
    // Created, started, finished, completed.
    expect(receiver.heard).toHaveLength(4 * TASKS)
    const each = (heard - alone) / receiver.heard.length
    process.stdout.write(`Webhooks: ${each.toFixed(2)} write units an event delivered\n`)
    expect(each).toBeLessThanOrEqual(MOST_EACH)
  })
})
