import { describe, expect, it } from '@jest/globals'
import { collections } from '../../lib/collections.ts'
import { tasksOn } from '../adapters/dynamodb/life.ts'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { startApi } from '../fakes/caller.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { mortalStore } from '../fakes/mortal.ts'
import { ANN, BOB, turns, until } from '../fakes/service.ts'
import { followedStoreOpeners } from '../fakes/stores.ts'

const opened = async (options: Parameters<typeof startApi>[0] = {}) => {
  const agent = createFakeAgent(HOLD)
  const api = await startApi({ adapters: [agent], background: true, ...options })
  const { call, service } = api
  const create = async (body: object = {}) =>
    (await call('POST /api/tasks', { body: { title: 'First', prompt: 'Begin', ...body } })).body.task
  const reply = (id: string, content: string, more: object = {}) =>
    call(`POST /api/tasks/${id}/messages`, { body: { content }, ...more })
  const thread = async (id: string) => (await call(`GET /api/threads/${id}`)).body.thread
  /** Ends the latest run. */
  const end = async (id: string, result?: unknown) => {
    await until(() => agent.runs.some(({ task }) => task.id === id))
    agent.runs.findLast(({ task }) => task.id === id)?.finish(result)
    await until(async () => (await service.tasks.summary(id))?.completedAt !== undefined)
    await turns()
  }
  return { ...api, agent, create, reply, thread, end }
}

const FAILURE = { success: false, output: 'It did not work', retryable: false }

describe('a reply to a task that has ended', () => {
  it('is the next turn of its thread: same agent, place, priority and labels, from the person who wrote it', async () => {
    const { create, reply, thread, end } = await opened()
    const given = {
      repository: 'acme/web',
      branch: 'next',
      labels: ['a'],
      priority: 1,
      sourceId: 'acme/web#1',
    }
    const first = await create({ ...given, source: 'codehost', metadata: { securityMode: 'deny' } })
    expect(first).toMatchObject({ threadId: first.id })
    await end(first.id)

    const { status, body } = await reply(first.id, '  \nNow the tests\u0007 too\nand docs', { as: BOB })
    expect(status).toBe(201)
    expect(body.message).toEqual({
      id: expect.stringMatching(/^msg_/),
      taskId: first.id,
      content: '  \nNow the tests\u0007 too\nand docs',
      createdAt: expect.any(String),
      state: 'delivered',
    })
    expect(body.task).toMatchObject({
      title: 'Now the tests  too',
      prompt: '  \nNow the tests\u0007 too\nand docs',
      threadId: first.id,
      parentId: first.id,
      agent: first.agent,
      status: 'queued',
      source: 'api',
      createdBy: 'user_bob',
      repository: 'acme/web',
      branch: 'next',
      labels: ['a'],
      priority: 1,
      metadata: { securityMode: 'deny' },
    })
    expect(body.task).not.toHaveProperty('sourceId')
    expect(await thread(body.task.id)).toMatchObject({
      id: first.id,
      cost: null,
      status: expect.stringMatching(/queued|in_progress/),
      messages: [],
      tasks: [{ id: first.id, status: 'completed' }, { id: body.task.id }],
    })
  })

  it.each([
    ['failed', (api: Api, id: string) => api.end(id, FAILURE)],
    ['cancelled', (api: Api, id: string) => api.call(`POST /api/tasks/${id}/cancel`)],
  ])('goes on after one that has %s, and a failure has no dead letter left', async (_state, stop) => {
    await using api = await opened()
    const first = await api.create()
    await stop(api, first.id)
    expect((await api.reply(first.id, 'Go on')).body.task).toMatchObject({ parentId: first.id })
    expect((await api.call('GET /api/dlq?status=pending')).body.items).toEqual([])
  })

  it('is what a cancel says: the messages that waited begin the next turn', async () => {
    await using api = await opened()
    const first = await api.create()
    await until(() => api.agent.runs.length > 0)
    for (const content of ['One', 'Two']) await api.reply(first.id, content)
    const cancel = (id: string) => api.call(`POST /api/tasks/${id}/cancel`)
    const { body } = await cancel(first.id)
    expect(body).toMatchObject({ task: { status: 'cancelled' } })
    expect(body.messages).toMatchObject([{ content: 'One', state: 'queued' }, { content: 'Two' }])
    await until(async () => (await api.thread(first.id)).tasks.length === 2)
    const { tasks } = await api.thread(first.id)
    const second = tasks[1].id
    await until(() => api.agent.runs.some(({ task }) => task.id === second))
    expect(api.agent.runs.at(-1)?.task.prompt).toBe('One\n\nTwo')
    expect((await cancel(second)).body).not.toHaveProperty('messages')
    expect(await api.thread(first.id)).toMatchObject({ status: 'cancelled', messages: [] })
  })

  it('always follows the last turn, whichever one it was sent to', async () => {
    await using api = await opened()
    const first = await api.create()
    await api.end(first.id)
    const { task: second } = (await api.reply(first.id, 'Two')).body
    await api.end(second.id)
    const { task: third } = (await api.reply(first.id, 'Three')).body
    expect(third).toMatchObject({ threadId: first.id, parentId: second.id })
  })

  it('of two at once makes one turn, and the other waits for its end', async () => {
    await using api = await opened()
    const first = await api.create()
    await api.end(first.id)
    const answers = await Promise.all(['One', 'Two', 'Three'].map((content) => api.reply(first.id, content)))
    expect(answers.map(({ body }) => body.message.state).sort()).toEqual(['delivered', 'queued', 'queued'])
    const { tasks, messages } = await api.thread(first.id)
    expect(tasks).toHaveLength(2)
    expect(messages).toHaveLength(2)
  })
})

describe('a reply to a task that has not ended', () => {
  it('waits, and several of one person become one turn; those of another follow in their order', async () => {
    await using api = await opened()
    const first = await api.create()
    const sent = [
      ['One', ANN],
      ['Two', ANN],
      ['Three', BOB],
      ['Four', ANN],
    ] as const
    for (const [content, as] of sent) {
      const { status, body } = await api.reply(first.id, content, { as })
      expect([status, body]).toEqual([201, { message: expect.objectContaining({ state: 'queued' }) }])
    }
    expect((await api.thread(first.id)).messages).toMatchObject(sent.map(([content]) => ({ content })))
    await api.end(first.id)
    for (let turn = 1; turn <= 3; turn++) await api.end((await api.thread(first.id)).tasks[turn].id)
    const { tasks, messages } = await api.thread(first.id)
    expect(messages).toEqual([])
    const prompts = await Promise.all(
      tasks.map(async ({ id }: { id: string }) => {
        const { prompt, createdBy } = await api.service.tasks.get(id)
        return [prompt, createdBy]
      }),
    )
    expect(prompts).toEqual([
      ['Begin', 'user_ann'],
      ['One\n\nTwo', 'user_ann'],
      ['Three', 'user_bob'],
      ['Four', 'user_ann'],
    ])
  })

  it('becomes a turn of its own where a prompt could not be that long', async () => {
    await using api = await opened()
    const first = await api.create()
    for (const letter of ['a', 'b']) await api.reply(first.id, letter.repeat(60_000))
    await api.end(first.id)
    const { tasks } = await api.thread(first.id)
    await api.end(tasks[1].id)
    expect((await api.thread(first.id)).tasks.map(({ title }: { title: string }) => title[0])).toEqual([
      'F',
      'a',
      'b',
    ])
  })

  it('is handed over at every end: a failure, and a cancel', async () => {
    await using api = await opened()
    const first = await api.create()
    await api.reply(first.id, 'Two')
    await api.end(first.id, FAILURE)
    const [, second] = (await api.thread(first.id)).tasks
    await api.reply(second.id, 'Three')
    await api.call(`POST /api/tasks/${second.id}/cancel`)
    await until(async () => (await api.thread(first.id)).tasks.length === 3)
    expect((await api.thread(first.id)).messages).toEqual([])
  })
})

type Api = Awaited<ReturnType<typeof opened>>

it('refuses what cannot be a message, and a task that does not exist', async () => {
  await using api = await opened()
  const first = await api.create()
  for (const body of [
    {},
    { content: '' },
    { content: ' \n' },
    { content: 5 },
    { content: 'x'.repeat(100_001) },
  ])
    expect((await api.call(`POST /api/tasks/${first.id}/messages`, { body })).status).toBe(400)
  expect((await api.reply('task_none', 'Hi')).body).toMatchObject({ code: 'task_not_found' })
  expect((await api.call('GET /api/threads/task_none')).body).toMatchObject({ code: 'thread_not_found' })
  for (let n = 0; n < 20; n++) await api.reply(first.id, `Message ${n}`)
  expect((await api.reply(first.id, 'One more')).body).toMatchObject({ code: 'too_many_messages' })
})

it('answers the same reply once per key, while the turn runs and after its end', async () => {
  await using api = await opened()
  const headers = { 'idempotency-key': 'once' }
  const first = await api.create()
  const waiting = await api.reply(first.id, 'Two', { headers })
  expect((await api.reply(first.id, 'Two', { headers })).body).toEqual(waiting.body)
  await api.end(first.id)
  const again = await api.reply(first.id, 'Two', { headers })
  expect([again.body, again.headers]).toMatchObject([waiting.body, { 'idempotent-replayed': 'true' }])
  expect((await api.reply(first.id, 'Other', { headers })).body.code).toBe('idempotency_key_reused')
  const [, second] = (await api.thread(first.id)).tasks
  await api.end(second.id)
  const made = await api.reply(second.id, 'Three', { headers: { 'idempotency-key': 'next' } })
  await api.end(made.body.task.id)
  const replayed = await api.reply(second.id, 'Three', { headers: { 'idempotency-key': 'next' } })
  expect(replayed.body).toEqual(made.body)
  expect((await api.thread(first.id)).tasks).toHaveLength(3)
})

it('is closed once the workspace is gone and no turn has left a result', async () => {
  await using api = await opened({ env: { WORKSPACE_TTL_HOURS: '1' } })
  const [done, stopped] = [await api.create(), await api.create()]
  await api.end(done.id)
  await api.call(`POST /api/tasks/${stopped.id}/cancel`)
  api.service.clock.advance(3_600_000)
  expect((await api.reply(done.id, 'Go on')).status).toBe(201)
  expect((await api.reply(stopped.id, 'Go on')).body).toMatchObject({ code: 'thread_closed' })
})

it('runs a reply again as the last turn of its thread', async () => {
  await using api = await opened()
  const first = await api.create()
  await api.end(first.id)
  const { task: second } = (await api.reply(first.id, 'Two')).body
  await api.end(second.id, FAILURE)
  const { task: third } = (await api.call(`POST /api/tasks/${second.id}/retry`)).body
  expect(third).toMatchObject({
    prompt: 'Two',
    threadId: first.id,
    parentId: second.id,
    retriedFrom: second.id,
  })
  expect((await api.call(`POST /api/tasks/${second.id}/retry`)).body.code).toBe('task_state_conflict')
  await api.end(third.id)
  expect((await api.call(`POST /api/tasks/${second.id}/retry`)).body.task).toMatchObject({
    parentId: third.id,
  })
})

it('restores a thread from an export', async () => {
  await using api = await opened()
  const first = await api.create()
  await api.end(first.id)
  const { task: second } = (await api.reply(first.id, 'Two')).body
  await api.end(second.id)
  const { body: exported } = await api.call('GET /api/tasks/export')
  await using other = await opened()
  await other.call('POST /api/tasks/import', { body: exported, as: { userId: 'root', role: 'admin' } })
  expect((await other.thread(second.id)).tasks.map(({ id }: { id: string }) => id)).toEqual([
    first.id,
    second.id,
  ])
  expect((await other.reply(first.id, 'Three')).body.task).toMatchObject({ parentId: second.id })
})

describe('a run of a later turn', () => {
  const left = { session: 's-1' }
  const ran = { success: true, output: 'done', agentSession: 'a-1', continuation: left }

  it('has the workspace of the first turn, and what the last turn left, which no task shows', async () => {
    await using api = await opened()
    const first = await api.create()
    await api.end(first.id, ran)
    const { task: second } = (await api.reply(first.id, 'Two')).body
    await api.end(second.id, { ...FAILURE, continuation: { session: 's-2' } })
    const { task: third } = (await api.reply(first.id, 'Three')).body
    await api.call(`POST /api/tasks/${third.id}/cancel`)
    const { task: fourth } = (await api.reply(first.id, 'Four')).body
    await api.end(fourth.id)
    const run = (id: string) => api.agent.runs.find(({ task }) => task.id === id)
    expect(run(first.id)).toMatchObject({ workspace: `${first.id}-1` })
    expect(run(first.id)).not.toHaveProperty('earlier')
    expect(run(second.id)).toMatchObject({
      workspace: `${first.id}-1`,
      earlier: { previous: { id: first.id, result: { agentSession: 'a-1' } }, continuation: left, since: [] },
    })
    expect(run(fourth.id)).toMatchObject({
      workspace: `${first.id}-1`,
      earlier: {
        previous: { id: third.id, status: 'cancelled' },
        continuation: { session: 's-2' },
        since: [{ id: third.id, prompt: 'Three' }],
      },
    })
    for (const { id } of [first, second])
      expect(JSON.stringify((await api.call(`GET /api/tasks/${id}`)).body)).not.toContain('s-')
  })

  it.each([
    [true, '1'],
    [false, '2'],
  ])('has the workspace of the last attempt, where its agent can resume: %s', async (canResume, name) => {
    const agent = createFakeAgent(async (_task, { attempt }) => ({ success: attempt > 1, output: 'x' }), {
      canResume,
    })
    await using api = await opened({ adapters: [agent] })
    const first = await api.create()
    await api.service.pass(60_000)
    const { task: second } = (await api.reply(first.id, 'Two')).body
    await api.service.pass(60_000)
    const found = agent.runs.map(({ task, attempt, workspace }) => [task.id, attempt, workspace])
    expect(found).toEqual([
      [first.id, 1, `${first.id}-1`],
      [first.id, 2, `${first.id}-${name}`],
      [second.id, 1, `${first.id}-${name}`],
      [second.id, 2, `${first.id}-${name}`],
    ])
  })

  it('keeps the workspace of its thread until its time to live after the last turn has passed', async () => {
    await using api = await opened({ env: { WORKSPACE_TTL_HOURS: '2' } })
    const { clock, tasks } = api.service
    const first = await api.create()
    const isKept = () => tasks.keepsWorkspace(first.id)
    await api.end(first.id)
    clock.advance(7_199_000)
    expect(await isKept()).toBe(true)
    const { task: second } = (await api.reply(first.id, 'Two')).body
    clock.advance(7_200_000)
    expect(await isKept()).toBe(true)
    await api.end(second.id)
    expect(await isKept()).toBe(true)
    clock.advance(7_200_000)
    expect(await isKept()).toBe(false)
    expect(await tasks.keepsWorkspace('conv_1')).toBe(false)
  })
})

it('hands a message over once, also where the process dies between the end and the hand-over', async () => {
  const { state, wrapStore } = mortalStore()
  const api = await opened({ wrapStore })
  const first = await api.create()
  await api.reply(first.id, 'Two')
  state.at = 'waitingMessages'
  await api.end(first.id)
  expect((await api.thread(first.id)).tasks).toHaveLength(1)

  const { store, clock, ids, delivery, background } = api.service
  delivery.to.stop()
  void background.stop()
  const agent = createFakeAgent()
  await using next = await startApi({
    adapters: [agent],
    background: true,
    after: { store, clock, ids, delivery },
  })
  await next.service.pass(600_000)
  expect(agent.runs.map(({ task }) => task.prompt)).toEqual(['Two'])
})

describe.each(followedStoreOpeners(collections))('a thread on %s', (_name, open) => {
  it('has one turn of the messages that waited, however often its end is told', async () => {
    const { store, delivered, drained, close } = await open(createFakeClock())
    try {
      const service = tasksOn(store)
      const person = { userId: 'user_ann', role: 'user' } as const
      const create = { title: 'First', priority: 3 as const, source: 'api' as const, labels: [] }
      const { id } = await service.create(person, create)
      const sent = (content: string) => service.replies.reply(person, id, { body: { content } })
      await Promise.all(['One', 'Two'].map(sent))
      const leased = await service.lease.claim({ taskId: id, attempt: 1 })
      if (leased === undefined) throw new Error('there was nothing to claim')
      await service.lease.succeed(leased, { success: true, output: 'done' })
      await drained()
      expect(delivered).toContainEqual(
        expect.objectContaining({
          to: 'notices',
          body: expect.objectContaining({ kind: 'ended', taskId: id }),
        }),
      )
      await Promise.all([1, 2, 3].map(() => service.replies.deliver(id)))
      const thread = await service.readThread(id)
      expect(thread).toMatchObject({ id, messages: [], tasks: [{ id }, { threadId: id, parentId: id }] })
      const { prompt } = await service.get(thread.tasks[1]?.id ?? '')
      expect(prompt?.split('\n\n').sort()).toEqual(['One', 'Two'])
    } finally {
      await close()
    }
  })
})
