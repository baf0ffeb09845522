import { describe, expect, it } from '@jest/globals'
import { verify } from '@octokit/webhooks-methods'
import { Webhook } from 'standardwebhooks'
import { deliveryRows } from '../../lib/deliveries/rows.ts'
import { type WebhookRow, webhooks } from '../../lib/outbound-webhooks/rows.ts'
import type { Store } from '../../lib/ports/store.ts'
import { type Answering, startReceiver } from '../adapters/outbound-receiver.ts'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { ANN, BOB, turns, until } from '../fakes/service.ts'
import { started } from './started.ts'

const DAY_MS = 86_400_000
const ALL = [
  'task.created',
  'task.completed',
  'task.failed',
  'task.cancelled',
  'agent.started',
  'agent.finished',
]
const DELAYS_MS = [30_000, 300_000, 1_800_000, 7_200_000, 43_200_000]

describe('events', () => {
  it('of a task that completes are sent, each with the payload of the interface', async () => {
    const agent = createFakeAgent(HOLD)
    await using it_ = await started({}, undefined, { adapters: [agent] })
    const { id } = await it_.service.create({ title: 'Look' })
    await turns(30)
    it_.service.clock.advance(1_500)
    agent.runs[0]?.finish({ success: true, output: 'done', files: 2 })
    await it_.sends()
    const byEvent = Object.fromEntries(it_.heard().map(({ event, payload }) => [event, payload]))
    expect(byEvent).toEqual({
      'task.created': { id, title: 'Look', status: 'queued', source: 'api' },
      'agent.started': { taskId: id, agentType: 'test-agent' },
      'agent.finished': { taskId: id, agentType: 'test-agent', output: 'done' },
      'task.completed': {
        id,
        title: 'Look',
        result: { success: true, output: 'done', files: 2 },
        duration: 1_500,
      },
    })
    const [first] = it_.heard()
    expect(first).toEqual({
      id: expect.stringMatching(/^evt_/),
      event: expect.any(String),
      payload: expect.any(Object),
      timestamp: expect.stringMatching(/^2026-01-01T12:00:0/),
    })
    expect(it_.receiver.heard[0]?.headers).toMatchObject({ 'webhook-id': first.id })
    expect(new Set(it_.heard().map((one) => one.id)).size).toBe(4)
  })

  it('of each attempt, of the failure and of a cancellation are sent', async () => {
    const agent = createFakeAgent(async () => ({ success: false, output: 'no' }))
    await using failing = await started({}, undefined, {
      adapters: [agent],
      env: { QUEUE_RETRY_ATTEMPTS: '2' },
    })
    const { id } = await failing.service.create({ title: 'Fail' })
    await failing.service.pass(1_000)
    await failing.sends()
    const events = failing.heard().map(({ event }) => event)
    expect(events.sort()).toEqual(
      [
        'task.created',
        'agent.started',
        'agent.finished',
        'agent.started',
        'agent.finished',
        'task.failed',
      ].sort(),
    )
    expect(failing.heard().find(({ event }) => event === 'task.failed').payload).toEqual({
      id,
      title: 'Fail',
      error: { code: 'agent_failed', message: 'no' },
      attempts: 2,
    })
    await using cancelled = await started({ events: ['task.cancelled', 'agent.finished'] }, undefined, {
      adapters: [createFakeAgent(HOLD)],
      background: false,
    })
    const task = await cancelled.service.create({ title: 'Stop' })
    await cancelled.service.tasks.cancel(ANN, task.id)
    await cancelled.service.background.start()
    await cancelled.sends()
    expect(cancelled.heard().map(({ event, payload }) => [event, payload])).toEqual([
      ['task.cancelled', { id: task.id, title: 'Stop' }],
    ])
  })

  it('are of the task and of its agent when a task is cancelled while it runs', async () => {
    const agent = createFakeAgent(HOLD)
    await using it_ = await started({ events: ['task.cancelled', 'agent.finished'] }, undefined, {
      adapters: [agent],
    })
    const { id } = await it_.service.create({ title: 'Stop' })
    await until(() => agent.runs.length === 1)
    expect((await it_.call(`POST /api/tasks/${id}/cancel`)).status).toBe(200)
    await it_.sends()
    expect(Object.fromEntries(it_.heard().map(({ event, payload }) => [event, payload]))).toEqual({
      'task.cancelled': { id, title: 'Stop' },
      'agent.finished': { taskId: id, agentType: 'test-agent', output: expect.any(String) },
    })
    expect(it_.heard()).toHaveLength(2)
  })

  it('come once to each webhook that is registered for them, of tasks that were there before as well', async () => {
    const agent = createFakeAgent(HOLD)
    await using it_ = await started({ events: ['task.failed'] }, undefined, { adapters: [agent] })
    await it_.service.create({ title: 'Before' })
    await turns(30)
    await using other = await startReceiver()
    await it_.call('POST /api/webhooks', {
      body: { url: other.url, events: ['task.completed', 'task.completed'] },
    })
    agent.runs[0]?.finish({ success: true, output: 'done' })
    await it_.sends()
    expect(it_.heard()).toEqual([])
    expect(other.heard.map(({ body }) => JSON.parse(body).event)).toEqual(['task.completed'])
  })

  it('cost a task nothing without subscribers: no message is stored', async () => {
    const agent = createFakeAgent()
    await using it_ = await started({ events: ['task.cancelled'] }, undefined, { adapters: [agent] })
    const sent: unknown[] = []
    const { deliver } = it_.service.delivery.to
    it_.service.delivery.to.deliver = async (messages) => {
      sent.push(...messages.filter(({ to }) => to !== 'run'))
      await deliver(messages)
    }
    await it_.service.run()
    expect(sent).toEqual([])
    await it_.call(`PATCH /api/webhooks/${it_.id}`, { body: { events: ['task.completed'] } })
    await it_.service.run()
    expect(sent).toHaveLength(1)
    await it_.call(`DELETE /api/webhooks/${it_.id}`)
    await it_.service.run()
    expect(sent).toHaveLength(1)
  })

  it('are shown in the log of no task', async () => {
    await using it_ = await started()
    const { id } = await it_.service.run()
    expect(JSON.stringify(await it_.service.tasks.events(id))).not.toContain('heard')
  })
})

describe('a registration', () => {
  it('shows a secret that it makes once, signs with it, and rotates it with both valid for a day', async () => {
    await using it_ = await started({ generateSecret: true, events: ['task.created'] })
    const { secret, webhook } = it_.created
    expect(secret).toMatch(/^wh_sec_[\w-]{43}$/)
    expect(webhook.secret).toBe('wh_sec_********')
    await it_.service.create()
    await it_.sends()
    const rotate = async () => (await it_.call(`POST /api/webhooks/${it_.id}/rotate`)).body
    const rotated = await rotate()
    expect(rotated.webhook.secret).toBe('wh_sec_********')
    await it_.service.create()
    await it_.sends()
    it_.service.clock.advance(DAY_MS / 2)
    const again = await rotate()
    await it_.service.create()
    await it_.sends()
    it_.service.clock.advance(DAY_MS / 2)
    await it_.service.create()
    await it_.sends()
    it_.service.clock.advance(DAY_MS / 2)
    await it_.service.create()
    await it_.sends()
    const verified = await Promise.all(
      it_.receiver.heard.map(async ({ body, headers }) => {
        const at = Number(headers['webhook-timestamp']) * 1_000
        const opens = (key: string) => opened(key, body, headers as Record<string, string>, at)
        const simple = String(headers['x-svc-signature'])
        const keys = [secret, rotated.secret, again.secret]
        return [...keys.map(opens), await Promise.all(keys.map((key) => verify(key, body, simple)))]
      }),
    )
    expect(verified).toEqual([
      [true, false, false, [true, false, false]],
      [true, true, false, [false, true, false]],
      [true, true, true, [false, false, true]],
      [false, true, true, [false, false, true]],
      [false, false, true, [false, false, true]],
    ])
    expect(JSON.stringify([await it_.read(), await it_.deliveries()])).not.toContain(secret)
    const rows = await it_.service.store.page(deliveryRows, {
      index: 'ofOwner',
      is: it_.id,
      order: 'asc',
      limit: 9,
      detail: true,
    })
    expect(JSON.stringify(rows)).not.toContain(secret)
  })

  it('that is made active while its last delivery is lost is active, and gets what was held', async () => {
    let between: (() => Promise<unknown>) | undefined
    const wrapStore = (store: Store): Store => ({
      ...store,
      get: async (...of) => {
        const row = await store.get(...of)
        const once = of[0].name === 'webhooks' ? between : undefined
        if (once) between = undefined
        await once?.()
        return row
      },
    })
    await using it_ = await started({ events: ['task.created'] }, undefined, { wrapStore })
    between = async () => {
      const set = { active: false, failing: true } as const
      await it_.service.store.commit<WebhookRow>({ update: webhooks, key: it_.id, set })
      await it_.service.create()
      await it_.sends()
      expect(it_.receiver.heard).toEqual([])
    }
    const { body } = await it_.call(`PATCH /api/webhooks/${it_.id}`, { body: { active: true } })
    expect(body.webhook).toMatchObject({ active: true, failing: false })
    await it_.service.outboundWebhooks.resumeDue(1_000)
    await it_.sends()
    expect(it_.receiver.heard).toHaveLength(1)
  })

  it('is changed, listed with what came of its sends, deleted, and each is on record without its path', async () => {
    await using it_ = await started({ secret: 'my own secret', events: ['task.created'] })
    expect(it_.created).not.toHaveProperty('secret')
    await it_.service.create()
    await it_.sends()
    expect(await it_.read()).toEqual({
      id: it_.id,
      url: it_.receiver.url,
      events: ['task.created'],
      active: true,
      failing: false,
      secret: 'wh_sec_********',
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      createdBy: ANN.userId,
      lastDelivery: expect.any(String),
      deliveryCount: 1,
      failureCount: 0,
    })
    const { body } = await it_.call(`PATCH /api/webhooks/${it_.id}`, {
      body: { secret: null, active: false },
      as: BOB,
    })
    expect(body.webhook).not.toHaveProperty('secret')
    expect((await it_.call('GET /api/webhooks')).body.webhooks).toEqual([await it_.read()])
    expect((await it_.call(`DELETE /api/webhooks/${it_.id}`)).status).toBe(200)
    for (const request of [
      ...['GET', 'PATCH', 'DELETE'].map((method) => `${method} /api/webhooks/${it_.id}`),
      ...['rotate', 'test'].map((verb) => `POST /api/webhooks/${it_.id}/${verb}`),
      `GET /api/webhooks/${it_.id}/deliveries`,
    ])
      expect((await it_.call(request, { body: {} })).body.code).toBe('webhook_not_found')
    const { rows } = await it_.service.store.page((await import('../../lib/audit/rows.ts')).auditRows, {
      index: 'newest',
      order: 'asc',
      limit: 10,
    })
    expect(rows.map(({ action }) => action)).toEqual(['webhook.create', 'webhook.change', 'webhook.delete'])
    expect(JSON.stringify(rows)).not.toContain('/hook')
  })

  it.each([
    ['no events', { events: [] }, 'events'],
    ['an unknown event', { events: ['task.created', 'task.rested'] }, 'events.1'],
    ['no URL', { url: 'here' }, 'url'],
    ['another scheme', { url: 'ftp://example.org/' }, 'url'],
    ['a private host', { url: 'http://10.0.0.1/' }, 'url'],
    ['loopback by another name', { url: 'http://[::ffff:127.0.0.2]/' }, 'url'],
    ['credentials', { url: 'http://ann:secret@127.0.0.1/' }, 'url'],
    ['a short secret', { secret: 'short' }, 'secret'],
    ['a word for active', { active: 'yes' }, 'active'],
  ])('is refused with %s', async (_what, fault, field) => {
    await using it_ = await started()
    const before = await it_.read()
    const requests = [`PATCH /api/webhooks/${it_.id}`, ...('active' in fault ? [] : ['POST /api/webhooks'])]
    for (const request of requests) {
      const answer = await it_.call(request, { body: { url: it_.receiver.url, events: ['*'], ...fault } })
      expect(answer.status).toBe(400)
      expect(answer.body.details.map(({ path }: { path: string }) => path)).toContain(field)
    }
    expect(await it_.read()).toEqual(before)
  })

  it('without anything is refused with what is required', async () => {
    await using it_ = await started()
    const { error } = (await it_.call('POST /api/webhooks', { body: {} })).body
    expect(error).toBe('url: is required; events: is required')
  })
})

/** Whether the library of Standard Webhooks accepts what was sent, at the time of the sending. */
const opened = (secret: string, body: string, headers: Record<string, string>, atMs: number): boolean => {
  const real = Date.now
  Date.now = () => atMs
  try {
    new Webhook(Buffer.from(secret).toString('base64')).verify(body, headers)
    return true
  } catch {
    return false
  } finally {
    Date.now = real
  }
}

describe('a receiver that fails', () => {
  const refusing: Answering = (response) => response.writeHead(500).end('not now')

  it('is tried again after the five delays, to the millisecond, with the same bytes; then the webhook is paused until it is active again', async () => {
    await using it_ = await started({ events: ['task.created'] }, refusing)
    await it_.service.create()
    await it_.sends()
    for (const [n, delayMs] of DELAYS_MS.entries()) {
      it_.service.clock.advance(delayMs - 1)
      await it_.sends()
      expect(it_.receiver.heard).toHaveLength(n + 1)
      expect(await it_.read()).toMatchObject({
        active: true,
        failing: false,
        failureCount: n + 1,
        deliveryCount: 1,
      })
      it_.service.clock.advance(1)
      await it_.sends()
    }
    expect(it_.receiver.heard).toHaveLength(6)
    expect(new Set(it_.receiver.heard.map(({ body }) => body)).size).toBe(1)
    expect(new Set(it_.receiver.heard.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(await it_.read()).toMatchObject({ active: false, failing: true, failureCount: 6 })
    const { deliveries, total } = await it_.deliveries()
    expect(total).toBe(1)
    expect(deliveries[0]).toMatchObject({ event: 'task.created', status: 'failed' })
    expect(deliveries[0].attempts).toHaveLength(6)
    expect(deliveries[0].attempts[5]).toMatchObject({ statusCode: 500, responseBody: 'not now' })
    await it_.service.create({ title: 'Waits' })
    it_.service.clock.advance(DAY_MS)
    await it_.sends()
    expect(it_.receiver.heard).toHaveLength(6)
    await it_.call(`PATCH /api/webhooks/${it_.id}`, { body: { active: true } })
    await it_.service.outboundWebhooks.resumeDue(1_000)
    await it_.sends()
    expect(it_.heard().map(({ payload }) => payload.title)).toEqual([...Array(6).fill('A task'), 'Waits'])
  })

  it('that is gone (410) is paused at once; what comes then waits, and is sent when it is active again', async () => {
    await using it_ = await started({ events: ['task.created'] }, (response) => response.writeHead(410).end())
    await it_.service.create({ title: 'Lost' })
    await it_.sends()
    expect(await it_.read()).toMatchObject({ active: false, failing: true })
    for (let n = 0; n < 3; n++) await it_.service.create({ title: `Waits ${n}` })
    await it_.sends()
    expect(it_.receiver.heard).toHaveLength(1)
    const waiting = (await it_.deliveries()).deliveries
    expect(
      waiting.map(({ status, nextAttemptAt }: Record<string, string>) => [status, nextAttemptAt]),
    ).toEqual([...Array.from({ length: 3 }, () => ['pending', undefined]), ['failed', undefined]])
    it_.receiver.answer = (response) => response.end('ok')
    await it_.call(`PATCH /api/webhooks/${it_.id}`, { body: { active: true } })
    await it_.service.outboundWebhooks.resumeDue(1_000)
    await it_.sends()
    const titles = it_.heard().map(({ payload }) => payload.title)
    expect(titles.sort()).toEqual(['Lost', 'Waits 0', 'Waits 1', 'Waits 2'])
    expect(await it_.read()).toMatchObject({
      active: true,
      failing: false,
      failureCount: 0,
      deliveryCount: 4,
    })
  })

  it('has what failed since a time sent again, and no more', async () => {
    await using it_ = await started({ events: ['task.created'] }, (response) => response.writeHead(410).end())
    const fail = async (title: string) => {
      await it_.call(`PATCH /api/webhooks/${it_.id}`, { body: { active: true } })
      await it_.service.create({ title })
      await it_.sends()
      it_.service.clock.advance(60_000)
    }
    await fail('Early')
    const since = new Date(it_.service.clock.now()).toISOString()
    for (const title of ['Late', 'Later']) await fail(title)
    it_.receiver.answer = (response) => response.end('ok')
    const recover = () => it_.call(`POST /api/webhooks/${it_.id}/recover`, { body: { since } })
    expect((await recover()).body.code).toBe('webhook_paused')
    await it_.call(`PATCH /api/webhooks/${it_.id}`, { body: { active: true } })
    const heard = it_.receiver.heard.length
    expect(await recover()).toMatchObject({ status: 202, body: { count: 2 } })
    await it_.service.outboundWebhooks.resumeDue(1_000)
    await it_.sends()
    const again = it_.heard().slice(heard)
    expect(again.map(({ payload }) => payload.title).sort()).toEqual(['Late', 'Later'])
    expect(
      it_
        .heard()
        .slice(0, heard)
        .map(({ id }) => id),
    ).toEqual(expect.arrayContaining(again.map(({ id }) => id)))
  })

  it('has a log whose pages have as many deliveries as fit an answer, none twice and none left out', async () => {
    const output = 'x'.repeat(200_000)
    const agent = createFakeAgent(async () => ({ success: true, output }))
    const whole: number[] = []
    const wrapStore = (store: Store): Store => ({
      ...store,
      page: async (...of) => {
        const page = await store.page(...of)
        if (of[1].detail) whole.push(page.rows.length)
        return page
      },
    })
    const options = { adapters: [agent], wrapStore }
    await using it_ = await started({ events: ['task.completed'] }, undefined, options)
    for (let n = 0; n < 30; n++) await it_.service.run({ title: `${n}` })
    await it_.sends()
    const seen: string[] = []
    let [pages, at] = [0, '']
    do {
      const { status, body } = await it_.call(`GET /api/webhooks/${it_.id}/deliveries?limit=200${at}`)
      expect(status).toBe(200)
      expect(JSON.stringify(body).length).toBeLessThan(3_100_000)
      seen.push(...body.deliveries.map((one: { id: string }) => one.id))
      at = body.nextCursor === undefined ? '' : `&cursor=${encodeURIComponent(body.nextCursor)}`
      pages += 1
    } while (at !== '')
    expect([seen.length, new Set(seen).size, pages]).toEqual([30, 30, 3])
    // So many may be in memory at once, of 2 MB each.
    expect(Math.max(...whole)).toBe(20)
  })

  it('can be sent one delivery again, and a test', async () => {
    await using it_ = await started({ events: ['task.created'] }, (response) => response.writeHead(410).end())
    const test = () => it_.call(`POST /api/webhooks/${it_.id}/test`)
    expect((await test()).body.delivery).toMatchObject({
      event: 'webhook.test',
      status: 'failed',
      attempts: [{ statusCode: 410 }],
      payload: { webhookId: it_.id },
    })
    // Also while it is paused, and failing.
    expect(await it_.read()).toMatchObject({ active: false, failing: true })
    expect((await test()).body.delivery).toMatchObject({ status: 'failed', attempts: [{ statusCode: 410 }] })
    it_.receiver.answer = (response) => response.end('ok')
    expect((await test()).body.delivery).toMatchObject({ status: 'delivered' })
    expect(await it_.read()).toMatchObject({ active: false, failing: true })
    const { id } = (await it_.deliveries()).deliveries.at(-1)
    const again = await it_.call(`POST /api/webhooks/${it_.id}/deliveries/${id}/redeliver`)
    expect(again).toMatchObject({
      status: 200,
      body: { delivery: { id, status: 'delivered', attempts: [{ statusCode: 410 }, { statusCode: 200 }] } },
    })
    expect(it_.receiver.heard[0]?.body).toBe(it_.receiver.heard.at(-1)?.body)
    const { event, timestamp, payload } = again.body.delivery
    expect(JSON.stringify({ id, event, timestamp, payload })).toBe(it_.receiver.heard.at(-1)?.body)
    const unknown = await it_.call(`POST /api/webhooks/${it_.id}/deliveries/none/redeliver`)
    expect(unknown.body.code).toBe('delivery_not_found')
  })

  it('has with each attempt the headers of its request, with masked signatures, and with each delivery its task', async () => {
    await using it_ = await started({ events: ['task.created', 'agent.started'], secret: 'wh_sec_own' })
    const task = await it_.service.run({ title: 'A task' })
    await it_.sends()
    const { deliveries } = await it_.deliveries()
    expect(
      deliveries.map(({ event, taskId, taskTitle }: Record<string, string>) => [event, taskId, taskTitle]),
    ).toEqual([
      ['agent.started', task.id, 'A task'],
      ['task.created', task.id, 'A task'],
    ])
    const [{ id, attempts }] = deliveries
    const { headers = {} } = it_.receiver.heard.find(({ body }) => body.includes(id)) ?? {}
    expect(attempts[0].requestHeaders).toEqual({
      'content-type': 'application/json',
      'user-agent': 'agent-task-service',
      'webhook-id': id,
      'webhook-timestamp': headers['webhook-timestamp'],
      'x-svc-signature': 'sha256=********',
      'webhook-signature': 'v1,********',
    })
  })

  it('has a log that is narrowed by state', async () => {
    await using it_ = await started({ events: ['task.created'] })
    await it_.service.create({ title: 'Arrives' })
    await it_.sends()
    it_.receiver.answer = (response) => response.writeHead(410).end()
    for (const title of ['Fails', 'Waits']) {
      await it_.service.create({ title })
      await it_.sends()
    }
    const found = async (status: string) => {
      const { body } = await it_.call(`GET /api/webhooks/${it_.id}/deliveries?status=${status}`)
      return [body.total, body.deliveries.map((one: { taskTitle: string }) => one.taskTitle)]
    }
    expect(await found('delivered')).toEqual([1, ['Arrives']])
    expect(await found('failed')).toEqual([1, ['Fails']])
    expect(await found('pending')).toEqual([1, ['Waits']])
    expect((await it_.call(`GET /api/webhooks/${it_.id}/deliveries?status=held`)).status).toBe(400)
  })

  it('is sent a test, and one delivery again, by the caller, whose answer has the attempt, although others send what is due', async () => {
    let isBusy = false
    const wrapStore = (store: Store): Store => ({
      ...store,
      commit: async (...of) => {
        const outcome = await store.commit(...of)
        if (isBusy) {
          isBusy = false
          await it_.service.deliveries.sendDue()
        }
        return outcome
      },
    })
    await using it_ = await started({}, undefined, { wrapStore })
    isBusy = true
    const { delivery } = (await it_.call(`POST /api/webhooks/${it_.id}/test`)).body
    expect(delivery).toMatchObject({ status: 'delivered', attempts: [{ statusCode: 200 }] })
    isBusy = true
    const path = `POST /api/webhooks/${it_.id}/deliveries/${delivery.id}/redeliver`
    expect((await it_.call(path)).body.delivery.attempts).toHaveLength(2)
    const answers = await Promise.all([it_.call(path), it_.call(path)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const [{ attempts }] = (await it_.deliveries()).deliveries
    expect(attempts).toHaveLength(it_.receiver.heard.length)
  })

  it('gets a test once: it is neither sent again by itself nor recovered, and pauses nothing', async () => {
    await using it_ = await started({}, (response) => response.writeHead(400).end('an unknown event'))
    const { delivery } = (await it_.call(`POST /api/webhooks/${it_.id}/test`)).body
    expect(delivery).toMatchObject({ status: 'failed', attempts: [{ statusCode: 400 }] })
    expect(delivery).not.toHaveProperty('nextAttemptAt')
    it_.service.clock.advance(2 * DAY_MS)
    await it_.sends()
    expect(it_.receiver.heard).toHaveLength(1)
    expect(await it_.read()).toMatchObject({ active: true, failing: false, failureCount: 1 })
    const recover = { body: { since: '2020-01-01T00:00:00Z' } }
    expect(await it_.call(`POST /api/webhooks/${it_.id}/recover`, recover)).toMatchObject({
      body: { count: 0 },
    })
    await it_.call(`POST /api/webhooks/${it_.id}/deliveries/${delivery.id}/redeliver`)
    expect(it_.receiver.heard).toHaveLength(2)
  })

  it('and is deleted is not sent what waits for it', async () => {
    await using it_ = await started({ events: ['task.created'] }, refusing)
    await it_.service.create()
    await it_.sends()
    await it_.call(`DELETE /api/webhooks/${it_.id}`)
    it_.service.clock.advance(DELAYS_MS[0] ?? 0)
    await it_.sends()
    expect(it_.receiver.heard).toHaveLength(1)
    expect(await it_.service.store.count(deliveryRows, { index: 'ofOwner', is: it_.id })).toBe(0)
  })
})

it('waiting deliveries are sent by themselves once a webhook is active again', async () => {
  await using it_ = await started({ events: ['task.created'], active: true })
  await it_.call(`PATCH /api/webhooks/${it_.id}`, { body: { active: false } })
  await it_.service.create()
  await turns(30)
  expect(it_.receiver.heard).toEqual([])
  await it_.call(`PATCH /api/webhooks/${it_.id}`, { body: { active: true } })
  await it_.service.pass(3_000, 500)
  await until(() => it_.receiver.heard.length === 1)
  expect(ALL).toContain(it_.heard()[0].event)
})
