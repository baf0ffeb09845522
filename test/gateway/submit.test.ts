import { describe, expect, it } from '@jest/globals'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { turns } from '../fakes/service.ts'
import { wholeTask } from '../fixtures/whole-task.ts'
import { OTHER, startGateway, TOKEN } from './gateway.ts'

const ID = '0'.repeat(25)
const task = { title: 'Read the logs', prompt: 'Which request fails?' }

describe('POST /api/gateway', () => {
  it('answers 202 with the request, its task and where to ask for it', async () => {
    await using gateway = await startGateway({ background: false })
    const { status, body } = await gateway.submit({ task })
    expect(status).toBe(202)
    expect(body).toEqual({
      requestId: expect.stringMatching(/^gw_[0-9A-Z]{26}$/),
      taskId: expect.stringMatching(/^task_[0-9A-Z]{26}$/),
      status: 'queued',
      statusUrl: `/api/gateway/${body.requestId}/status`,
    })
    expect(body.requestId.slice(3)).toBe(body.taskId.slice(5))
    expect(await gateway.tasks.get(body.taskId)).toMatchObject({
      ...task,
      createdBy: 'user_ann',
      metadata: { workflow: 'custom' },
    })
  })

  it('hands the task on with every field of its definition', async () => {
    await using gateway = await startGateway({ background: false })
    const { body } = await gateway.submit({
      task: { ...wholeTask, metadata: { mine: 1, workflow: 'forged' } },
    })
    expect(await gateway.tasks.get(body.taskId)).toMatchObject({
      ...wholeTask,
      metadata: { mine: 1, workflow: 'custom' },
    })
  })

  it.each([
    ['no task', {}, 'task'],
    ['a task without a title', { task: {} }, 'task.title'],
    ['an unknown workflow', { task, workflow: 'magic' }, 'workflow'],
    ['a time-out of no length', { task, options: { timeout: 0 } }, 'options.timeout'],
    ['a time-out that nobody waits for', { task, options: { timeout: 840_001 } }, 'options.timeout'],
    ['another scheme to notify', { task, options: { notifyUrl: 'ftp://example.com' } }, 'options.notifyUrl'],
    ...[
      '',
      'a secret of ours\n',
      ' a secret of ours',
      ' '.repeat(9),
      'a secret\tof ours',
      's'.repeat(501),
    ].map((notifySecret): [string, object, string] => [
      `the secret ${JSON.stringify(notifySecret.slice(0, 20))}`,
      { task, options: { notifyUrl: 'https://example.com/', notifySecret } },
      'options.notifySecret',
    ]),
    ['too short a limit', { task: { ...task, timeoutMs: 999 } }, 'task.timeoutMs'],
    [
      'too many labels',
      { task: { ...task, runsOn: Array.from({ length: 11 }, (_, n) => `${n}`) } },
      'task.runsOn',
    ],
    ['too many steps', { task: { ...task, maxSteps: 201 } }, 'task.maxSteps'],
    ['an unknown agent', { task: { ...task, assignedAgent: 'nobody' } }, 'task.assignedAgent'],
    ['a secret for nobody', { task, options: { notifySecret: 'a secret of ours' } }, 'options.notifySecret'],
    [
      'a private address to notify',
      { task, options: { notifyUrl: 'http://192.168.0.1/' } },
      'options.notifyUrl',
    ],
    [
      'credentials in the address',
      { task, options: { notifyUrl: 'https://a:b@example.com/' } },
      'options.notifyUrl',
    ],
    [
      'a prompt that is too long with its workflow',
      { task: { ...task, prompt: 'x'.repeat(99_999) }, workflow: 'refactor' },
      'task',
    ],
  ])('answers 400 to %s, names it, and makes no task', async (_title, body, path) => {
    await using gateway = await startGateway({ background: false })
    const answer = await gateway.submit(body, { 'idempotency-key': 'k' })
    expect(answer.status).toBe(400)
    const { details }: { details: { path: string }[] } = answer.body
    expect([...new Set(details.map((issue) => issue.path))]).toEqual([path])
    expect((await gateway.tasks.analytics()).totalTasks).toBe(0)
    expect((await gateway.submit({ task }, { 'idempotency-key': 'k' })).status).toBe(202)
  })

  it('takes a prompt of any length that tasks may have when no workflow adds to it', async () => {
    await using gateway = await startGateway({ background: false })
    const prompt = 'x'.repeat(100_000)
    expect((await gateway.submit({ task: { ...task, prompt } })).status).toBe(202)
  })
})

describe('an Idempotency-Key', () => {
  const key = { 'idempotency-key': 'build-7' }

  it('makes one task of the same request, and answers as the first time', async () => {
    await using gateway = await startGateway()
    const first = await gateway.submit({ task }, key)
    await turns()
    const second = await gateway.submit({ task, unknown: 'dropped' }, key)
    expect(first.headers).not.toHaveProperty('idempotent-replayed')
    expect(second).toMatchObject({ status: 202, headers: { 'idempotent-replayed': 'true' } })
    expect(second.body).toEqual({ ...first.body, warnings: second.body.warnings })
    expect((await gateway.tasks.analytics()).totalTasks).toBe(1)
  })

  it('is refused for another body: another task, workflow or option', async () => {
    await using gateway = await startGateway({ background: false })
    await gateway.submit({ task }, key)
    const others = [
      { task: { ...task, title: 'Another' } },
      { task, workflow: 'refactor' },
      { task, options: { synchronous: true } },
    ]
    for (const body of others)
      expect(await gateway.submit(body, key)).toMatchObject({
        status: 400,
        body: { code: 'idempotency_key_reused' },
      })
  })

  it('belongs to one token, also of those that one user made, and for a day', async () => {
    await using gateway = await startGateway({ background: false })
    const { body: first } = await gateway.submit({ task }, key)
    const { body: others } = await gateway.submit({ task }, { ...key, as: OTHER })
    const second = { ...TOKEN, tokenId: 'tok_second' }
    const { body: secondOnes } = await gateway.submit({ task }, { ...key, as: second })
    const reused = await gateway.submit(
      { task: { title: 'Another' } },
      { ...key, as: { ...TOKEN, tokenId: 'tok_third' } },
    )
    expect(reused.status).toBe(202)
    gateway.clock.advance(86_400_000)
    const { body: later } = await gateway.submit({ task }, key)
    expect(new Set([first.taskId, others.taskId, secondOnes.taskId, later.taskId]).size).toBe(4)
  })

  it('answers a synchronous request with the result, the second time too', async () => {
    await using gateway = await startGateway()
    const body = { task, options: { synchronous: true } }
    const [first, second] = [await gateway.submit(body, key), await gateway.submit(body, key)]
    expect(first.status).toBe(200)
    expect(second).toMatchObject({ status: 200, body: first.body })
  })
})

describe('GET /api/gateway/{requestId}/status', () => {
  it('tells how the task stands, from waiting to its result', async () => {
    const agent = createFakeAgent(HOLD)
    await using gateway = await startGateway({ adapters: [agent] })
    const { body } = await gateway.submit({ task, workflow: 'summarize' })
    const { requestId, taskId } = body
    await turns()
    expect(await gateway.status(requestId)).toEqual({
      requestId,
      taskId,
      workflow: 'summarize',
      status: 'in_progress',
      progress: null,
      createdAt: '2026-01-01T12:00:00.000Z',
      updatedAt: '2026-01-01T12:00:00.000Z',
    })
    agent.runs[0]?.progress('Reading')
    agent.runs[0]?.progress('Writing')
    await turns()
    expect(await gateway.status(requestId)).toMatchObject({ status: 'in_progress', progress: 'Writing' })
    agent.runs[0]?.finish({ success: true, output: 'short', pages: 3 })
    await turns()
    const done = await gateway.status(requestId)
    expect(done).toMatchObject({
      status: 'completed',
      progress: 'Writing',
      result: { success: true, output: 'short', pages: 3 },
    })
    expect(done).not.toHaveProperty('error')
  })

  it('tells why a task failed, and neither result nor error of one that was cancelled', async () => {
    const agent = createFakeAgent(async () => ({ success: false, output: 'no such file' }))
    await using gateway = await startGateway({ adapters: [agent], env: { QUEUE_RETRY_ATTEMPTS: '1' } })
    const { body: failing } = await gateway.submit({ task })
    await turns()
    const failed = await gateway.status(failing.requestId)
    expect(failed).toMatchObject({
      status: 'failed',
      error: { code: 'agent_failed', message: 'no such file' },
    })
    expect(failed).not.toHaveProperty('result')
  })

  it('shows no error of an attempt while there are others to come', async () => {
    const agent = createFakeAgent(async () => ({ success: false, output: 'no such file' }))
    await using gateway = await startGateway({ adapters: [agent] })
    const { body } = await gateway.submit({ task })
    await turns()
    const waiting = await gateway.status(body.requestId)
    expect(waiting.status).toBe('queued')
    expect(waiting).not.toHaveProperty('error')
  })

  it('is for the caller of the request; for others there is none', async () => {
    await using gateway = await startGateway({ background: false })
    const { body } = await gateway.submit({ task })
    const path = `GET /api/gateway/${body.requestId}/status`
    const colleague = { ...TOKEN, tokenId: 'tok_another' }
    expect((await gateway.call(path, { as: colleague })).status).toBe(200)
    const admin = { ...OTHER, role: 'admin' as const }
    for (const as of [OTHER, admin]) {
      expect(await gateway.call(path, { as })).toMatchObject({
        status: 404,
        body: { code: 'request_not_found' },
      })
    }
    expect((await gateway.call(`GET /api/gateway/gw_${ID}9/status`, { as: TOKEN })).status).toBe(404)
  })

  it('knows nothing of tasks that were not handed in at the gateway', async () => {
    await using gateway = await startGateway({ background: false })
    const { id } = await gateway.create({ metadata: { workflow: 'custom' } })
    expect((await gateway.call(`GET /api/gateway/gw_${id.slice(5)}/status`, { as: TOKEN })).status).toBe(404)
  })
})
