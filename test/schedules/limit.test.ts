import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { collections } from '../../lib/collections.ts'
import { limitedCounts } from '../../lib/limits/limited-count.ts'
import type { Store } from '../../lib/ports/store.ts'
import { SCHEDULE_COUNTER, schedules } from '../../lib/schedules/rows.ts'
import { createCaller } from '../fakes/caller.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { startDomains } from '../fakes/service.ts'
import { storeOpeners } from '../fakes/stores.ts'

const MOST = 1_000
const LEFT = 3
const AT_ONCE = 12
const body = { name: 'S', cron: '@daily', task: { title: 'T' } }

describe.each(storeOpeners(collections))('the limit of schedules on %s', (_name, open) => {
  let opened: { store: Store; close: () => Promise<unknown> }
  beforeAll(async () => {
    opened = await open(createFakeClock())
  })
  afterAll(() => opened?.close())

  it('holds for requests at once in several processes, and a deletion makes room for one', async () => {
    const { store } = opened
    const services = await Promise.all(
      [1, 2, 3].map(() => startDomains({ background: false, wrapStore: () => store })),
    )
    const callers = services.map((service) => createCaller(service))
    const [call = callers[0] as never] = callers
    // The number is stored with the first schedule.
    const first = await call('POST /api/schedules', { body })
    const stored = async () => (await store.get(limitedCounts, SCHEDULE_COUNTER))?.count
    expect([first.status, await stored()]).toEqual([201, 1])
    await store.commit({ update: limitedCounts, key: SCHEDULE_COUNTER, set: { count: MOST - LEFT } })
    // Processes that meet wait for a while, by their own clocks.
    const passing = setInterval(() => {
      for (const { clock } of services) clock.advance(500)
    }, 10)
    const together = async () => {
      const answers = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, n) => (callers[n % 3] ?? call)('POST /api/schedules', { body })),
      )
      return answers.map(({ status, body: said }) => (status === 201 ? 201 : said.code)).sort()
    }
    const refused = (made: number) => Array(AT_ONCE - made).fill('too_many_schedules')
    expect(await together()).toEqual([...Array(LEFT).fill(201), ...refused(LEFT)])
    expect((await call(`DELETE /api/schedules/${first.body.schedule.id}`)).status).toBe(200)
    expect(await together()).toEqual([201, ...refused(1)])
    clearInterval(passing)
    const there = await store.count(schedules, { index: 'newest' })
    expect([there, await stored()]).toEqual([LEFT + 1, MOST])
  })
})
