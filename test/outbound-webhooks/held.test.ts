import { describe, expect, it } from '@jest/globals'
import type { Collection } from '../../lib/core/collection.ts'
import { iso } from '../../lib/core/time.ts'
import { deliveryRows } from '../../lib/deliveries/rows.ts'
import type { DeliveryRow } from '../../lib/deliveries/schema.ts'
import { HELD_MS } from '../../lib/deliveries/send.ts'
import { webhookHealth, webhooks } from '../../lib/outbound-webhooks/rows.ts'
import type { Page, Query, Store } from '../../lib/ports/store.ts'
import type { Answering } from '../adapters/outbound-receiver.ts'
import { started } from './started.ts'

const DAY_MS = 86_400_000
/** More than a call of the upkeep takes, by a clock that stands still. */
const LONG_MS = 1_000

const gone: Answering = (response) => response.writeHead(410).end()
const ok: Answering = (response) => response.end('ok')

type Started = Awaited<ReturnType<typeof started>>

const setActive = ({ call }: Started, id: string, active: boolean) =>
  call(`PATCH /api/webhooks/${id}`, { body: { active } })
const titlesIn = (it_: Started) => it_.heard().map(({ payload }) => payload.title)

/** Storage that reports each page of deliveries that is read. */
const watchingPages = (onPage: (rows: readonly object[]) => void) => (store: Store) => ({
  ...store,
  get: store.get.bind(store),
  page: async <R extends object>(of: Collection<R>, query: Query<R>): Promise<Page<R>> => {
    const page = await store.page(of, query)
    if (of.name === deliveryRows.name) onPage(page.rows)
    return page
  },
})

/** Stores deliveries of the webhook as they would be after a while. */
const fill = async ({ service, id: owner }: Started, count: number, fields: Partial<DeliveryRow>) => {
  const at = iso(service.clock.now())
  for (let n = 0; n < count; n += 1) {
    const id = `evt_${fields.owner ?? owner}_${fields.status}_${n}`
    const body = JSON.stringify({ id, event: 'task.created', timestamp: at, payload: { title: id } })
    const row: DeliveryRow = {
      id,
      owner,
      event: 'task.created',
      url: 'http://127.0.0.1:9/',
      body,
      createdAt: at,
      status: 'delivered',
      tries: 0,
      attempts: [],
      ...fields,
    }
    await service.store.commit<DeliveryRow>({ insert: deliveryRows, row })
  }
}
const held = (at: string) => {
  const dueAt = iso(Date.parse(at) + HELD_MS)
  return { status: 'pending', stopped: `held ${at}`, dueAt } as const
}

describe('a paused webhook that is resumed by one delivery', () => {
  const resume = async ({ call, id }: Started) => (await call(`POST /api/webhooks/${id}/resume`)).body

  /** A webhook that failed, with two deliveries that wait. */
  const failing = async () => {
    const it_ = await started({ events: ['task.created'] }, gone)
    for (const title of ['Failed', 'Held', 'Held later']) {
      await it_.service.create({ title })
      await it_.sends()
      it_.service.clock.advance(60_000)
    }
    return it_
  }

  it('stays paused where that fails, says what came back, and the delivery waits on', async () => {
    await using it_ = await failing()
    const sentBefore = it_.receiver.heard.length
    it_.receiver.answer = (response) => response.writeHead(500).end('still broken')
    expect(await resume(it_)).toMatchObject({
      resumed: false,
      webhook: { active: false, failing: true },
      delivery: {
        taskTitle: 'Held',
        status: 'pending',
        attempts: [{ statusCode: 500, responseBody: 'still broken' }],
      },
    })
    // Nothing else was sent, and nothing is tried again by itself.
    it_.service.clock.advance(DAY_MS)
    await it_.sends()
    expect(it_.receiver.heard.length).toBe(sentBefore + 1)
    const [, , { nextAttemptAt, status }] = (await it_.deliveries()).deliveries.toReversed()
    expect([status, nextAttemptAt]).toEqual(['pending', undefined])
  })

  it('is active where that succeeds, and what waited is sent', async () => {
    await using it_ = await failing()
    it_.receiver.answer = ok
    expect(await resume(it_)).toMatchObject({
      resumed: true,
      webhook: { active: true, failing: false },
      delivery: { taskTitle: 'Held', status: 'delivered' },
    })
    await it_.service.outboundWebhooks.resumeDue(LONG_MS)
    await it_.sends()
    expect(titlesIn(it_)).toEqual(['Failed', 'Held', 'Held later'])
    expect(await resume(it_)).toMatchObject({ resumed: true, webhook: { active: true } })
    expect(it_.receiver.heard).toHaveLength(3)
  })

  it.each([
    ['the last one that failed, where none waits', [gone], 'task.created'],
    ['a test, where none failed either', [], 'webhook.test'],
  ])('sends %s', async (_, answers, event) => {
    await using it_ = await started({ events: ['task.created'] }, answers[0])
    if (answers.length > 0) await it_.service.create({ title: 'Failed' })
    await it_.sends()
    await setActive(it_, it_.id, false)
    it_.receiver.answer = ok
    expect(await resume(it_)).toMatchObject({ resumed: true, delivery: { event, status: 'delivered' } })
  })

  it('may be sent one of its deliveries again, which waits on where that fails', async () => {
    await using it_ = await failing()
    it_.receiver.answer = (response) => response.writeHead(500).end()
    const [{ id }] = (await it_.deliveries()).deliveries
    const again = async () =>
      (await it_.call(`POST /api/webhooks/${it_.id}/deliveries/${id}/redeliver`)).body.delivery
    expect(await again()).toMatchObject({ status: 'pending', attempts: [{ statusCode: 500 }] })
    it_.receiver.answer = ok
    expect(await again()).toMatchObject({ status: 'delivered' })
    expect(await it_.read()).toMatchObject({ active: false })
  })
})

describe('deliveries held for a paused webhook', () => {
  it('are all sent after it is active, whatever recoveries are asked for before they are', async () => {
    await using it_ = await started({ events: ['task.created'] }, gone)
    await it_.service.create({ title: 'Failed' })
    await it_.sends()
    const failedBy = iso(it_.service.clock.now())
    it_.service.clock.advance(60_000)
    await it_.service.create({ title: 'Held' })
    await it_.sends()
    it_.receiver.answer = ok
    it_.service.clock.advance(60_000)
    await setActive(it_, it_.id, true)
    const later = iso(it_.service.clock.now() + 3_600_000)
    const counts: number[] = []
    for (const since of [failedBy, later, later])
      counts.push((await it_.call(`POST /api/webhooks/${it_.id}/recover`, { body: { since } })).body.count)
    expect(counts).toEqual([1, 0, 0])
    await it_.service.outboundWebhooks.resumeDue(LONG_MS)
    await it_.sends()
    expect(titlesIn(it_).sort()).toEqual(['Failed', 'Failed', 'Held'])
  })

  it('are looked for during a minute, since their index may have them late', async () => {
    await using it_ = await started({ events: ['task.created'] }, ok)
    const { outboundWebhooks, clock, store } = it_.service
    await setActive(it_, it_.id, false)
    await setActive(it_, it_.id, true)
    await outboundWebhooks.resumeDue(LONG_MS)
    await fill(it_, 1, held(iso(clock.now())))
    clock.advance(30_000)
    await outboundWebhooks.resumeDue(LONG_MS)
    await it_.sends()
    expect(titlesIn(it_)).toHaveLength(1)
    clock.advance(30_000)
    await outboundWebhooks.resumeDue(LONG_MS)
    expect((await store.get(webhooks, it_.id))?.resumeAt).toBeUndefined()
  })

  it('are found without a look at the others, in turn with those of other webhooks, as long as a call may take', async () => {
    let read = 0
    let advance: ((ms: number) => void) | undefined
    const wrapStore = watchingPages((rows) => {
      read += rows.length
      advance?.(1_000)
    })
    await using it_ = await started({ events: ['task.failed'] }, ok, { wrapStore, background: false })
    const { clock, store, outboundWebhooks } = it_.service
    const other = (await it_.call('POST /api/webhooks', { body: { url: it_.receiver.url, events: ['*'] } }))
      .body.webhook.id
    await fill(it_, 300, { status: 'delivered' })
    await fill(it_, 250, held(iso(clock.now())))
    await fill(it_, 1, { owner: other, ...held(iso(clock.now())) })
    for (const id of [it_.id, other]) for (const active of [false, true]) await setActive(it_, id, active)
    const countDue = (is: string) =>
      store.count(deliveryRows, { index: 'ofOwner', is, where: [{ field: 'dueAt', to: iso(clock.now()) }] })
    advance = clock.advance
    await outboundWebhooks.resumeDue(2_000)
    expect([await countDue(it_.id), await countDue(other), read]).toEqual([100, 1, 101])
    for (let calls = 0; calls < 2; calls += 1) await outboundWebhooks.resumeDue(2_000)
    expect([await countDue(it_.id), read]).toEqual([250, 251])
  })

  it('are failed after 30 days, and the log says why', async () => {
    await using it_ = await started({ events: ['task.created'] }, gone)
    await setActive(it_, it_.id, false)
    await it_.service.create({ title: 'Held' })
    await it_.sends()
    const [waiting] = (await it_.deliveries()).deliveries
    expect(waiting).toMatchObject({ status: 'pending', attempts: [] })
    expect(waiting).not.toHaveProperty('nextAttemptAt')
    it_.service.clock.advance(30 * DAY_MS)
    await it_.sends()
    const [failed] = (await it_.deliveries()).deliveries
    expect(failed).toMatchObject({
      status: 'failed',
      attempts: [{ error: 'The webhook was paused for 30 days after the delivery was due' }],
    })
    expect(it_.service.log.entries).toContainEqual(
      expect.objectContaining({ message: 'a delivery was given up' }),
    )
    expect(it_.receiver.heard).toEqual([])
    it_.receiver.answer = ok
    await setActive(it_, it_.id, true)
    await it_.call(`POST /api/webhooks/${it_.id}/recover`, { body: { since: '2026-01-01T00:00:00Z' } })
    await it_.service.outboundWebhooks.resumeDue(LONG_MS)
    await it_.sends()
    expect(titlesIn(it_)).toEqual(['Held'])
  })

  it('are removed with their webhook, as is all that it had, also what comes late', async () => {
    await using it_ = await started({ events: ['task.created'] }, ok, { background: false })
    const { clock, store, outboundWebhooks } = it_.service
    const left = () => store.count(deliveryRows, { index: 'ofOwner', is: it_.id })
    await fill(it_, 150, { status: 'delivered' })
    await fill(it_, 150, held(iso(clock.now())))
    await it_.call(`DELETE /api/webhooks/${it_.id}`)
    await outboundWebhooks.removeDeleted(LONG_MS)
    expect(await left()).toBe(0)
    await fill(it_, 1, held(iso(clock.now())))
    clock.advance(60_000)
    await outboundWebhooks.removeDeleted(LONG_MS)
    expect([await left(), await store.get(webhookHealth, it_.id)]).toEqual([0, undefined])
  })
})

describe('the log of deliveries', () => {
  it('says how many there are, on each page, waiting ones among them', async () => {
    await using it_ = await started({ events: ['task.created'] }, ok, { background: false })
    await fill(it_, 4, held(iso(it_.service.clock.now())))
    const page = (query: string) => it_.call(`GET /api/webhooks/${it_.id}/deliveries?${query}`)
    const { total, nextCursor } = (await page('limit=2')).body
    const next = (await page(`limit=1&cursor=${encodeURIComponent(nextCursor)}`)).body
    expect([total, next.total]).toEqual([4, 4])
  })

  it('keeps the first attempt of a delivery and the last 20, and counts those between', async () => {
    let answers = 0
    await using it_ = await started({ events: ['task.created'] }, (response) => {
      answers += 1
      response.writeHead(answers === 1 ? 503 : 200).end(`answer ${answers}`)
    })
    await it_.service.create()
    await it_.sends()
    const [{ id }] = (await it_.deliveries()).deliveries
    for (let n = 0; n < 25; n += 1) await it_.call(`POST /api/webhooks/${it_.id}/deliveries/${id}/redeliver`)
    const [{ attempts, attemptsOmitted }] = (await it_.deliveries()).deliveries
    const bodies = attempts.map(({ responseBody }: { responseBody: string }) => responseBody)
    expect(bodies).toEqual(['answer 1', ...Array.from({ length: 20 }, (_, n) => `answer ${n + 7}`)])
    expect(attemptsOmitted).toBe(5)
  })
})
