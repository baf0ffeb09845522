import { describe, expect, it } from '@jest/globals'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createIds } from '../../lib/adapters/node/ids.ts'
import { openSqliteStore, type SqliteStore } from '../../lib/adapters/sqlite/store.ts'
import { toStreamName } from '../../lib/agentic/rows.ts'
import type { SessionEvent } from '../../lib/agentic/schema.ts'
import { createSessionRun } from '../../lib/agentic/session-run.ts'
import { SessionStopped } from '../../lib/agentic/session-runs.ts'
import { createAgentSessions, type TaskFacts } from '../../lib/agentic/sessions.ts'
import { createTaskRuns } from '../../lib/agentic/task-runs.ts'
import { collections } from '../../lib/collections.ts'
import { Problem } from '../../lib/core/errors.ts'
import { createMasker } from '../../lib/core/masker.ts'
import type { Principal } from '../../lib/core/principal.ts'
import type { FeedDraft } from '../../lib/feed/feed.ts'
import { createFeed } from '../../lib/feed/feed.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { forEachTest } from '../fakes/lifetimes.ts'
import { createFakeLog } from '../fakes/log.ts'
import { turns } from '../fakes/service.ts'
import { watchStore } from '../fakes/watched-store.ts'

const clock = createClock()
const ids = createIds({ clock })
const SECRET = 'canary-4711-0815'
const ada = { userId: 'user_ada', role: 'user' } as unknown as Principal
const bob = { userId: 'user_bob', role: 'user' } as unknown as Principal
const never = new AbortController().signal
const ENDED_AT = '2026-01-01T00:00:00.000Z'
const about = { userId: 'user_ada', conversationId: 'conv_1', provider: 'demo', model: 'scripted' }

describe('a run that closes', () => {
  it('keeps a reader that comes while its last events are being stored, until they are', async () => {
    const { promise: appended, resolve: store } = Promise.withResolvers<[]>()
    const needs = { feed: { append: () => appended }, clock, log: createFakeLog(), masker: createMasker([]) }
    const run = createSessionRun(needs, 'sess_1', 1)
    run.emit('step:start', { step: 1 })
    const closed = run.close()
    const { unstored, reader } = run.read()
    let isOver = false
    const ended = reader.next().then((batch) => {
      isOver = true
      return batch
    })
    await turns()
    expect([unstored.map(({ type }) => type), isOver]).toEqual([['step:start'], false])
    store([])
    await closed
    expect(await ended).toBeUndefined()
  })
})

describe('a large delta', () => {
  it.each([
    ['letters', 'x'.repeat(300_000)],
    ['control characters', '\u0001'.repeat(300_000)],
    ['emoji', '😀'.repeat(150_000)],
  ])('of %s is stored, and so are the events beside it', async (_, text) => {
    const store = openSqliteStore({ file: ':memory:', collections, clock })
    const feed = createFeed({ store, clock, ids })
    const run = createSessionRun({ feed, clock, log: createFakeLog(), masker: createMasker([]) }, 'sess_1', 1)
    run.emit('content', { step: 1, text: 'before ' })
    run.emit('tool:call', { toolCallId: 'a', name: 'read_file', arguments: { [text]: [text, text] } })
    run.emit('content', { step: 1, text })
    run.emit('content', { step: 1, text: ' after' })
    await run.close()
    const stored = (await feed.read(toStreamName('sess_1'))).map(({ type, data }) => ({
      type,
      ...(data as { data: { text?: string; toolCallId?: string } }).data,
    }))
    await store.close()
    const said = stored.flatMap((event) => (event.type === 'content' ? [event.text] : [])).join('')
    expect(said).toBe(`before ${text} after`)
    expect(stored.find(({ type }) => type === 'tool:call')).toMatchObject({ toolCallId: 'a' })
  })

  it('that no append takes does not lose the events beside it', async () => {
    const appended: string[][] = []
    const append = async (_stream: string, drafts: readonly FeedDraft[]) => {
      const types = drafts.map(({ type }) => type)
      if (types.includes('odd')) throw new Problem('too_large', 'feed_batch_too_large', 'x')
      appended.push(types)
      return []
    }
    const log = createFakeLog()
    const run = createSessionRun({ feed: { append }, clock, log, masker: createMasker([]) }, 'sess_1', 1)
    for (const type of ['step:start', 'odd', 'tool:call', 'tool:result']) run.emit(type, { step: 1 })
    await run.close()
    expect(appended.flat()).toEqual(['step:start', 'tool:call', 'tool:result'])
    expect(log.entries).toMatchObject([{ message: 'an event of an agent session was not stored' }])
  })
})

describe('agent sessions', () => {
  const store = forEachTest<SqliteStore>(
    async () => openSqliteStore({ file: ':memory:', collections, clock }),
    (opened) => opened.close(),
  )
  const taskStates = new Map<string, TaskFacts['status']>()
  const cancelledBy: string[] = []

  /** The sessions of one process; several share the store. */
  const process = (more: Partial<Parameters<typeof createAgentSessions>[0]> = {}) =>
    createAgentSessions({
      store: store(),
      feed: createFeed({ store: store(), clock, ids }),
      clock,
      ids,
      log: createFakeLog(),
      masker: createMasker([SECRET]),
      timeoutMs: 60_000,
      orphanMs: 60_000,
      findTask: async (id) => {
        const status = taskStates.get(id)
        const error = status === 'failed' ? { code: 'worker_lost', message: 'It is gone' } : undefined
        const completedAt = status === 'in_progress' ? undefined : ENDED_AT
        return status === undefined ? undefined : { id, status, createdBy: 'user_ada', completedAt, error }
      },
      checkOwnConversation: async () => undefined,
      cancelTask: async ({ userId }, id) => {
        cancelledBy.push(userId)
        taskStates.set(id, 'cancelled')
      },
      ...more,
    })

  const take = async (batches: AsyncIterable<readonly SessionEvent[]>, most = Number.POSITIVE_INFINITY) => {
    const events: SessionEvent[] = []
    for await (const batch of batches) {
      events.push(...batch)
      if (events.length >= most) break
    }
    return events
  }
  const eventTypes = (events: readonly SessionEvent[]) => events.map(({ type }) => type)
  const joinedText = (events: readonly SessionEvent[]) =>
    events.map(({ data }) => (data as { text?: string }).text ?? '').join('')

  it('gives a reader in this process each event as it comes, and what it missed when it comes back', async () => {
    const sessions = process()
    const session = await sessions.open(about)
    const live = sessions.followOpened(session.id, never)
    const all = take(live)
    session.emit('step:start', { step: 1 })
    for (const text of ['Hel', 'lo ', 'there']) session.emit('content', { step: 1, text })
    session.emit('step:complete', { step: 1 })
    session.emit('content', { step: 2, text: 'Bye' })
    const late = take(await sessions.follow(ada, session.id, '', never))
    await session.end('completed')
    const events = await all
    expect(eventTypes(events)).toEqual([
      'step:start',
      'content',
      'content',
      'content',
      'step:complete',
      'content',
    ])
    expect(events.map(({ id }) => id).toSorted()).toEqual(events.map(({ id }) => id))
    // Stored deltas are joined.
    expect([eventTypes(await late), joinedText(await late)]).toEqual([
      ['step:start', 'content', 'step:complete', 'content'],
      'Hello thereBye',
    ])
    // Within a joined delta it comes again from its start.
    const resumed = await take(await sessions.follow(ada, session.id, events[1]?.id ?? '', never))
    expect(joinedText(resumed)).toBe('Hello thereBye')
    const rest = await take(await sessions.follow(ada, session.id, events[4]?.id ?? '', never))
    expect(joinedText(rest)).toBe('Bye')
  })

  it('is read from the place of a reader that comes back, not from its beginning', async () => {
    let rows = 0
    const page: SqliteStore['page'] = async (...asked) => {
      const found = await store().page(...asked)
      if (asked[0].name === 'feedEntries') rows += found.rows.length
      return found
    }
    const counting = { ...store(), page } as SqliteStore
    const sessions = process({ store: counting, feed: createFeed({ store: counting, clock, ids }) })
    const task = { id: 'task_03', createdBy: 'user_ada', status: 'in_progress' } as const
    taskStates.set(task.id, task.status)
    const run = sessions.openRun(task, 1, { provider: 'demo', model: 'scripted' })
    for (let step = 1; step <= 100; step += 1) {
      run.emit('step:complete', { step })
      await run.flush()
    }
    run.emit('complete', {})
    const expectRest = async () => {
      rows = 0
      const events = await take(await sessions.follow(ada, run.id, '0001-0000098', never), 3)
      expect(events.map(({ id }) => id)).toEqual(['0001-0000099', '0001-0000100', '0001-0000101'])
      expect(rows).toBeLessThan(10)
    }
    await expectRest()
    await run.close()
    taskStates.set(task.id, 'completed')
    await expectRest()
  })

  it('is followed from another process to its end, and stopped from there', async () => {
    const [here, elsewhere] = [process(), process()]
    const session = await here.open(about)
    const reader = new AbortController()
    void take(here.followOpened(session.id, reader.signal))
    session.emit('content', { step: 1, text: 'One' })
    const followed = take(await elsewhere.follow(ada, session.id, '', never))
    await elsewhere.cancel(ada, session.id)
    await new Promise((resolve) => session.signal.addEventListener('abort', resolve))
    expect(session.signal.reason).toMatchObject({ code: 'CANCELLED' })
    session.emit('error', { code: 'CANCELLED' })
    await session.end('cancelled')
    expect(eventTypes(await followed)).toEqual(['content', 'error'])
    expect(await elsewhere.get(ada, session.id)).toMatchObject({ status: 'cancelled' })
    await expect(elsewhere.cancel(ada, session.id)).rejects.toMatchObject({ code: 'session_state_conflict' })
  })

  it('stores what it says at the end of a step, and every 2 s while another process follows it', async () => {
    const clock = createFakeClock(Date.now())
    const { store: watched, quiet } = watchStore(store())
    const more = { store: watched, feed: createFeed({ store: watched, clock, ids }), clock }
    const [here, elsewhere] = [process({ ...more, timeoutMs: 3_600_000 }), process(more)]
    const { id, emit, end } = await here.open(about)
    const storedText = async () => {
      const entries = await createFeed({ store: store(), clock, ids }).read(toStreamName(id))
      return joinedText(entries.map(({ data }) => data as SessionEvent))
    }
    /** What was stored after each of some seconds, in which the session says a letter each. */
    const storedIn = async (letters: string) => {
      const stored: string[] = []
      for (const text of letters) {
        emit('content', { step: 1, text })
        clock.advance(1_000)
        await quiet()
        stored.push(await storedText())
      }
      return stored
    }
    expect(await storedIn('abcd')).toEqual(['', '', '', ''])
    const reader = new AbortController()
    const followed = take(await elsewhere.follow(ada, id, '', reader.signal))
    expect((await storedIn('efgh')).map(({ length }) => length)).toEqual([0, 6, 6, 8])
    // A follower's mark is renewed every 20 s, here after 4, 24, 44 and 64 s, and lasts for 30.
    for (let second = 0; second < 60; second += 1) await storedIn('-')
    expect(await storedText()).toHaveLength(68)
    reader.abort()
    await followed
    for (let second = 0; second < 40; second += 1) await storedIn('.')
    const last = await storedText()
    expect(last).toHaveLength(94)
    expect(await storedIn('ij')).toEqual([last, last])
    emit('step:complete', { step: 1 })
    await quiet()
    expect(await storedText()).toHaveLength(68 + 42)
    await end('completed')
  })

  it('belongs to its user', async () => {
    const sessions = process()
    const { id, end } = await sessions.open(about)
    await end('completed')
    for (const call of [
      () => sessions.get(bob, id),
      () => sessions.follow(bob, id, '', never),
      () => sessions.cancel(bob, id),
    ])
      await expect(call()).rejects.toMatchObject({ kind: 'missing' })
    expect((await sessions.list(bob, { limit: 50 })).sessions).toEqual([])
    const { sessions: listed, total } = await sessions.list(ada, { limit: 50 })
    expect([listed, total]).toEqual([[expect.objectContaining({ id, status: 'completed' })], 1])
    expect(listed[0]).not.toHaveProperty('expiresAt')
  })

  it.each([
    ['TIMEOUT', { timeoutMs: 50 }],
    ['ORPHANED', { orphanMs: 0 }],
  ])('stops by itself: %s', async (code, limits) => {
    const session = await process(limits).open(about)
    await new Promise((resolve) => session.signal.addEventListener('abort', resolve))
    expect(session.signal.reason).toBeInstanceOf(SessionStopped)
    expect(session.signal.reason).toMatchObject({ code })
    await session.end('failed')
  })

  it('goes on while it has a reader', async () => {
    const sessions = process({ orphanMs: 0 })
    const session = await sessions.open(about)
    const reader = new AbortController()
    const read = take(sessions.followOpened(session.id, reader.signal))
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(session.signal.aborted).toBe(false)
    reader.abort()
    await read
    await new Promise((resolve) => session.signal.addEventListener('abort', resolve))
    expect(session.signal.reason).toMatchObject({ code: 'ORPHANED' })
    await session.end('failed')
  })

  it('shows no secret, also where one comes in two pieces', async () => {
    const sessions = process()
    const session = await sessions.open(about)
    const all = take(sessions.followOpened(session.id, never))
    session.emit('content', { step: 1, text: `the key is ${SECRET.slice(0, 6)}` })
    session.emit('content', { step: 1, text: `${SECRET.slice(6)}, not ${SECRET.slice(0, 9)}` })
    session.emit('tool:call', { name: 'run', arguments: { command: `echo ${SECRET}` } })
    await session.end('completed')
    const stored = await take(await sessions.follow(ada, session.id, '', never))
    for (const events of [await all, stored]) {
      expect(JSON.stringify(events)).not.toContain(SECRET)
      // What may have been the beginning of another one is told before what comes next.
      expect(joinedText(events)).toBe(`the key is [masked], not ${SECRET.slice(0, 9)}`)
      expect(eventTypes(events).lastIndexOf('content')).toBe(events.length - 2)
    }
  })

  it('is failed, with the reason as its last event, when its process died', async () => {
    const dead = await process().open(about)
    dead.emit('step:start', { step: 1 })
    const next = process()
    await next.recover()
    expect(await next.get(ada, dead.id)).toMatchObject({ status: 'running' })
    await next.recover(true)
    expect(await next.get(ada, dead.id)).toMatchObject({ status: 'failed', error: { code: 'INTERRUPTED' } })
    expect(eventTypes(await take(await next.follow(ada, dead.id, '', never)))).toEqual(['error'])
    await dead.end('completed')
    expect(await next.get(ada, dead.id)).toMatchObject({ status: 'failed' })
  })

  it('cuts off a reader that falls too far behind', async () => {
    const sessions = process()
    const session = await sessions.open(about)
    const slow = sessions.followOpened(session.id, never)[Symbol.asyncIterator]()
    session.emit('step:start', { step: 1 })
    expect((await slow.next()).done).toBe(false)
    for (let count = 0; count < 11_000; count += 1) session.emit('content', { step: 1, text: 'x' })
    await session.end('completed')
    await expect(slow.next()).rejects.toMatchObject({ code: 'reader_too_slow' })
    // It comes back with the id of its last event.
    expect(joinedText(await take(await sessions.follow(ada, session.id, '', never)))).toHaveLength(11_000)
  })

  it('of a task gives its earlier runs also to who comes while the next one has stored nothing yet', async () => {
    const sessions = process()
    taskStates.set('task_02', 'in_progress')
    const about = { id: 'task_02', createdBy: 'user_ada', status: 'in_progress' } as const
    const target = { provider: 'demo', model: 'scripted' }
    const first = sessions.openRun(about, 1, target)
    first.emit('step:start', { step: 1 })
    await first.close()
    const second = sessions.openRun(about, 2, target)
    second.emit('session:start', {})
    const events = await take(await sessions.follow(bob, 'sess_02', '', never), 2)
    expect(eventTypes(events)).toEqual(['step:start', 'session:start'])
    await second.close()
  })

  it.each([
    ['cancelled', 'CANCELLED'],
    ['failed', 'WORKER_LOST'],
  ])('of a task that is %s while no run of it goes on ends with the reason', async (status, code) => {
    const sessions = process()
    taskStates.set('task_03', 'in_progress')
    const about = { id: 'task_03', createdBy: 'user_ada', status: 'in_progress' } as const
    const run = sessions.openRun(about, 2, { provider: 'demo', model: 'scripted' })
    run.emit('error', { message: 'Not there', code: 'TOOL_ERROR', toolCallId: 'call_1' })
    await run.close()
    const followed = take(await process().follow(bob, 'sess_03', '', never))
    taskStates.set('task_03', status as TaskFacts['status'])
    const events = await followed
    expect(events).toMatchObject([
      { type: 'error', data: { code: 'TOOL_ERROR' } },
      { type: 'error', data: { code } },
    ])
    expect(await take(await sessions.follow(bob, 'sess_03', events[1]?.id ?? '', never))).toEqual([])
    expect(await sessions.get(bob, 'sess_03')).toMatchObject({ status, error: { code }, endedAt: ENDED_AT })
  })

  it('of a task has all its runs, and the state of the task', async () => {
    const sessions = process()
    const target = () => ({ provider: 'demo', model: 'scripted' })
    const agent = { type: 'coding-agent' }
    const taskRuns = createTaskRuns({ sessions, target, clock, ids })
    const task = (run: number) => ({
      id: 'task_01',
      createdBy: 'user_ada',
      status: 'in_progress' as const,
      fence: run,
      attempts: run,
      maxAttempts: 3,
    })
    taskStates.set('task_01', 'in_progress')
    const silent = taskRuns(task(1), agent)
    expect(silent.end({ kind: 'succeeded', result: { output: '' } }, undefined)).toBeUndefined()
    const first = taskRuns(task(1), agent)
    first.observe({ type: 'step:start', step: 1, maxSteps: 5, usedTokens: 0 })
    const failed = {
      kind: 'failed',
      error: { code: 'agent_failed', message: 'No luck' },
      next: 'retry',
    } as const
    await first.end(failed, { usd: 0.25, source: 'price' })
    const followed = take(await process().follow(bob, 'sess_01', '', never))
    const second = taskRuns(task(2), agent)
    second.observe({ type: 'step:start', step: 1, maxSteps: 5, usedTokens: 0 })
    await second.end({ kind: 'succeeded', result: { output: 'Done' } }, { usd: 0.5, source: 'price' })
    expect(await sessions.get(bob, 'sess_01')).toMatchObject({ status: 'running', taskId: 'task_01' })
    // Whoever may cancel the task may cancel its session; one that is over stays as it is.
    expect(await sessions.cancel(bob, 'sess_01')).toMatchObject({ status: 'cancelled', taskId: 'task_01' })
    expect(cancelledBy).toEqual(['user_bob'])
    taskStates.set('task_01', 'completed')
    const run = ['session:start', 'step:start']
    expect(eventTypes(await followed)).toEqual([...run, 'attempt:failed', ...run, 'summary', 'complete'])
    const costs = (await followed).flatMap(({ data }) => ('cost' in data ? [data.cost] : []))
    expect(costs).toEqual([0.25, 0.5].map((usd) => ({ usd, source: 'price' })))
    expect((await sessions.list(bob, { limit: 50, taskId: 'task_01' })).sessions).toMatchObject([
      { id: 'sess_01', status: 'completed' },
    ])
    await expect(sessions.cancel(ada, 'sess_01')).rejects.toMatchObject({ code: 'session_state_conflict' })
    expect(cancelledBy).toEqual(['user_bob'])
  })
})
