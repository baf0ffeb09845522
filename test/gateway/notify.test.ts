import { createHmac } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import { deliveryRows } from '../../lib/deliveries/rows.ts'
import { gatewayRequests } from '../../lib/gateway/rows.ts'
import { startReceiver } from '../adapters/outbound-receiver.ts'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { rejectingStore } from '../fakes/rejecting-store.ts'
import { ANN, turns } from '../fakes/service.ts'
import { type StartedGateway, startGateway } from './gateway.ts'

const task = { title: 'Read the logs' }
const SECRET = 'canary-of-a-signing-secret'

/** Sends what is due and waits for it. */
const delivered = async ({ deliveries }: StartedGateway) => {
  await turns()
  await deliveries.sendDue()
  await deliveries.settled()
}

describe('notifyUrl', () => {
  it('gets the completed task, with the request, the result and how long it took', async () => {
    await using receiver = await startReceiver()
    const agent = createFakeAgent(HOLD)
    await using gateway = await startGateway({ adapters: [agent] })
    const { body } = await gateway.submit({ task, options: { notifyUrl: receiver.url } })
    await turns()
    gateway.clock.advance(1_500)
    agent.runs[0]?.finish({ success: true, output: 'done', files: 2 })
    await delivered(gateway)
    const { requestId, taskId } = body
    expect(receiver.heard).toHaveLength(1)
    const sent = JSON.parse(receiver.heard[0]?.body ?? '')
    expect(sent).toEqual({
      id: expect.stringMatching(/^evt_/),
      event: 'task.completed',
      timestamp: '2026-01-01T12:00:01.500Z',
      requestId,
      payload: {
        id: taskId,
        title: 'Read the logs',
        requestId,
        result: { success: true, output: 'done', files: 2 },
        duration: 1_500,
      },
    })
    expect(receiver.heard[0]?.headers).toMatchObject({ 'webhook-id': sent.id })
    expect(receiver.heard[0]?.headers).not.toHaveProperty('x-svc-signature')
  })

  it('gets the failed task, with error and attempts', async () => {
    await using receiver = await startReceiver()
    const agent = createFakeAgent(async () => ({ success: false, output: 'no' }))
    await using gateway = await startGateway({ adapters: [agent], env: { QUEUE_RETRY_BACKOFF_MS: '0' } })
    await gateway.submit({ task, options: { notifyUrl: receiver.url } })
    await gateway.pass(1_000)
    await delivered(gateway)
    expect(receiver.heard.map(({ body }) => JSON.parse(body))).toMatchObject([
      {
        event: 'task.failed',
        payload: { title: task.title, error: { code: 'agent_failed', message: 'no' }, attempts: 3 },
      },
    ])
  })

  it('gets the cancelled task', async () => {
    await using receiver = await startReceiver()
    await using gateway = await startGateway({ adapters: [createFakeAgent(HOLD)] })
    const { body } = await gateway.submit({ task, options: { notifyUrl: receiver.url } })
    await gateway.tasks.cancel({ userId: 'user_bob', role: 'user' }, body.taskId)
    await delivered(gateway)
    expect(receiver.heard.map((one) => JSON.parse(one.body))).toMatchObject([
      {
        event: 'task.cancelled',
        payload: { id: body.taskId, title: task.title, requestId: body.requestId },
      },
    ])
  })

  it('is signed with notifySecret, over the very bytes', async () => {
    await using receiver = await startReceiver()
    await using gateway = await startGateway()
    await gateway.submit({
      task: { title: 'Grüße 🌍' },
      options: { notifyUrl: receiver.url, notifySecret: SECRET },
    })
    await delivered(gateway)
    const { body = '', headers = {} } = receiver.heard[0] ?? {}
    const hmac = (text: string) => createHmac('sha256', SECRET).update(text)
    expect(headers['x-svc-signature']).toBe(`sha256=${hmac(body).digest('hex')}`)
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    expect(headers['webhook-signature']).toBe(`v1,${hmac(signed).digest('base64')}`)
  })

  it('gets each end of a task that was given back to the queue from its dead letter', async () => {
    await using receiver = await startReceiver()
    let runs = 0
    const agent = createFakeAgent(async () => ({ success: ++runs > 1, output: `${runs}` }))
    await using gateway = await startGateway({ adapters: [agent], env: { QUEUE_RETRY_ATTEMPTS: '1' } })
    await gateway.submit({ task, options: { notifyUrl: receiver.url } })
    await delivered(gateway)
    gateway.clock.advance(5)
    const { items } = await gateway.deadLetters.list({ status: 'pending', limit: 1 })
    await gateway.deadLetters.retry(ANN, items[0]?.id ?? '')
    await delivered(gateway)
    const sent = receiver.heard.map(({ body }) => JSON.parse(body))
    expect(sent.map(({ event }) => event)).toEqual(['task.failed', 'task.completed'])
    expect(new Set(sent.map(({ id }) => id)).size).toBe(2)
  })

  it('gets nothing of a retry, which is another task, nor of tasks that only look like it', async () => {
    await using receiver = await startReceiver()
    await using gateway = await startGateway()
    const { body } = await gateway.submit({ task, options: { notifyUrl: receiver.url } })
    await delivered(gateway)
    await gateway.tasks.retry(ANN, body.taskId)
    await gateway.run({ metadata: { workflow: 'custom', requestId: body.requestId } })
    await delivered(gateway)
    expect(receiver.heard).toHaveLength(1)
  })
})

describe('the notice of an end', () => {
  it('comes again when its delivery could not be stored', async () => {
    await using receiver = await startReceiver()
    const { state, wrapStore } = rejectingStore()
    await using gateway = await startGateway({ wrapStore })
    state.next = 'deliveries'
    const { body } = await gateway.submit({ task, options: { notifyUrl: receiver.url } })
    await turns()
    expect((await gateway.tasks.get(body.taskId)).status).toBe('completed')
    expect(receiver.heard).toEqual([])
    await gateway.pass(60_000)
    await delivered(gateway)
    expect(receiver.heard.map((one) => JSON.parse(one.body))).toMatchObject([{ event: 'task.completed' }])
  })

  it('makes no second delivery when it is repeated, and none while the task goes on', async () => {
    await using receiver = await startReceiver()
    const agent = createFakeAgent(HOLD)
    await using gateway = await startGateway({ adapters: [agent] })
    const { body } = await gateway.submit({ task, options: { notifyUrl: receiver.url } })
    await turns()
    await gateway.gateway.notify(body.taskId)
    await delivered(gateway)
    expect(receiver.heard).toEqual([])
    agent.runs[0]?.finish()
    await delivered(gateway)
    for (let repeat = 0; repeat < 3; repeat++) await gateway.gateway.notify(body.taskId)
    await delivered(gateway)
    expect(receiver.heard).toHaveLength(1)
  })

  it('makes no delivery for requests without notifyUrl, and for tasks without a request', async () => {
    await using gateway = await startGateway()
    const { body } = await gateway.submit({ task })
    const { id } = await gateway.create()
    await turns()
    await gateway.gateway.notify(body.taskId)
    await gateway.gateway.notify(id)
    const page = { index: 'ofOwner', is: body.requestId, order: 'asc', limit: 10 } as const
    expect((await gateway.store.page(deliveryRows, page)).rows).toEqual([])
  })
})

describe('a signing secret', () => {
  it('is sealed where it is stored, and in no log line, audit record, status, export or delivery', async () => {
    await using receiver = await startReceiver((response) => response.writeHead(500).end())
    await using gateway = await startGateway()
    const { body } = await gateway.submit(
      { task, options: { notifyUrl: receiver.url, notifySecret: SECRET } },
      { 'idempotency-key': 'k' },
    )
    await delivered(gateway)
    let exported = ''
    for await (const piece of gateway.tasks.exportAll(ANN)) exported += piece
    const { rows } = await gateway.store.page(deliveryRows, {
      index: 'ofOwner',
      is: body.requestId,
      order: 'asc',
      limit: 10,
      detail: true,
    })
    expect(rows).toHaveLength(1)
    const kept = JSON.stringify([
      ...[rows, exported, receiver.heard, gateway.log.entries, await gateway.status(body.requestId)],
      await gateway.store.get(gatewayRequests, body.requestId, true),
      await gateway.audit.list({ limit: 50, offset: undefined, cursor: undefined } as never),
    ])
    expect(kept).toMatch(/"secret":"v1\./)
    for (const form of [SECRET, Buffer.from(SECRET).toString('base64'), Buffer.from(SECRET).toString('hex')])
      expect(kept).not.toContain(form)
  })
})
