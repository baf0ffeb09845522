import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { createClock } from '../../lib/adapters/node/clock.ts'
import type { Principal } from '../../lib/core/principal.ts'
import { inboxMarks } from '../../lib/inbox/rows.ts'
import type { InboxItem } from '../../lib/inbox/schema.ts'
import { type Causes, createInbox, type Inbox } from '../../lib/inbox/service.ts'
import type { TaskRow } from '../../lib/tasks/schema.ts'
import { createFakeAgent } from '../fakes/agent.ts'
import { startApi } from '../fakes/caller.ts'
import { createFakeClock, type FakeClock } from '../fakes/clock.ts'
import { BOB, turns, until } from '../fakes/service.ts'
import { storeOpeners } from '../fakes/stores.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const OPEN = { scope: 'mine', state: 'open' } as const
const ALL = { ...OPEN, scope: 'all' } as const
const SNOOZED = { ...OPEN, state: 'snoozed' } as const

const AT = '2026-01-01T10:00:00.000Z'
const failure = (lastSeen = AT, createdBy = ['ann']) => ({
  createdBy,
  group: {
    ...{
      fingerprint: 'f1',
      code: 'broken',
      message: 'It broke',
      agent: 'a',
      count: 2,
      pending: 1,
      spark: [],
    },
    ...{ firstSeen: AT, lastSeen, lastMessage: 'It broke', taskIds: [], muted: false },
  },
})
const result = (id: string, createdBy: string) =>
  ({ id, title: id, createdBy, completedAt: AT, createdAt: AT, agent: 'a', source: 'api' }) as TaskRow

const none: Causes = {
  approvals: async () => [],
  failures: async () => [],
  holds: async () => [],
  waitingForBudget: async () => 0,
  withoutRunner: async () => [],
  webhooks: async () => [],
  results: async () => [],
}

const keys = ({ items }: { items: readonly InboxItem[] }) => items.map(({ key }) => key)

describe.each(storeOpeners([inboxMarks]))('the inbox over %s', (_name, open) => {
  let clock: FakeClock
  let opened: Awaited<ReturnType<typeof open>>
  let users = 0
  let ann: Principal
  let bob: Principal
  let causes: Causes
  let inbox: Inbox
  beforeAll(async () => {
    clock = createFakeClock()
    opened = await open({ ...clock, after: createClock().after })
  })
  afterAll(() => opened?.close())
  beforeEach(() => {
    users += 1
    ann = { userId: `ann${users}`, role: 'user' }
    bob = { userId: `bob${users}`, role: 'user' }
    causes = { ...none }
    inbox = createInbox({
      store: opened.store,
      clock,
      causes: {
        ...none,
        failures: (since) => causes.failures(since),
        approvals: (principal) => causes.approvals(principal),
        results: async (_since, isWanted) => (await causes.results(0, isWanted)).filter(isWanted),
      },
    })
    causes.failures = async () => [failure(AT, [ann.userId])]
  })
  const only = async (query: typeof OPEN | typeof SNOOZED = OPEN) => (await inbox.list(ann, query)).items
  const later = (ms: number) => new Date(clock.now() + ms).toISOString()

  it('hides a done item from its user alone, until it occurs again or is opened again', async () => {
    const items = await only()
    expect(items).toMatchObject([{ key: 'failure:f1', version: AT, mine: true }])
    causes.failures = async () => [failure(AT, [ann.userId, bob.userId])]
    await inbox.complete(ann, items)
    expect(await only()).toEqual([])
    expect(keys(await inbox.list(bob, OPEN))).toEqual(['failure:f1'])
    const again = later(0)
    causes.failures = async () => [failure(again, [ann.userId])]
    expect(await only()).toMatchObject([{ version: again }])
    // What was marked is the occurrence that the person saw.
    await inbox.complete(ann, items)
    expect(await only()).toHaveLength(1)
    await inbox.complete(ann, await only())
    expect(await only()).toEqual([])
    await inbox.reopen(ann, [{ key: 'failure:f1', version: again }])
    expect(await only()).toHaveLength(1)
  })

  it('snoozes an item until a time, shows it among the snoozed ones, and opens it again by itself', async () => {
    const wakesAt = later(HOUR_MS)
    await inbox.snooze(ann, await only(), wakesAt)
    expect(await inbox.list(ann, OPEN)).toMatchObject({ items: [], counts: { open: 0, snoozed: 1 }, wakesAt })
    expect(await only(SNOOZED)).toMatchObject([{ key: 'failure:f1', snoozedUntil: wakesAt }])
    clock.advance(HOUR_MS)
    expect(await only()).toMatchObject([{ key: 'failure:f1' }])
    expect(await only(SNOOZED)).toEqual([])
    // A mark as done replaces a snooze, and a snooze a mark.
    await inbox.complete(ann, await only())
    expect(await inbox.list(ann, OPEN)).toMatchObject({ counts: { open: 0, snoozed: 0 } })
    await inbox.snooze(ann, [{ key: 'failure:f1', version: AT }], later(HOUR_MS))
    expect(await only(SNOOZED)).toHaveLength(1)
  })

  it.each([
    ['now', 0],
    ['the past', -1],
    ['more than 30 days', 30 * DAY_MS + 1],
  ])('snoozes nothing until %s', async (_what, ms) => {
    await expect(inbox.snooze(ann, await only(), later(ms))).rejects.toMatchObject({
      code: 'validation_failed',
    })
    expect(await only()).toHaveLength(1)
  })

  it('does not take a call that waits for approval as done, alone or among others', async () => {
    const items = [...(await only()), { key: 'approval:apv_1', version: AT }]
    await expect(inbox.complete(ann, items)).rejects.toMatchObject({ code: 'inbox_decision_needed' })
    expect(await only()).toHaveLength(1)
  })

  it('lists results of others in `all` alone, and finds more where the newest ones are done', async () => {
    const rows = [result('t1', ann.userId), result('t2', bob.userId), result('t3', ann.userId)]
    const seen: string[][] = []
    causes = {
      ...none,
      results: async (_since, isWanted) => {
        seen.push(rows.filter(isWanted).map(({ id }) => id))
        return rows
      },
    }
    expect(keys(await inbox.list(ann, OPEN)).sort()).toEqual(['result:t1', 'result:t3'])
    expect(keys(await inbox.list(ann, ALL))).toHaveLength(3)
    await inbox.complete(ann, [{ key: 'result:t1', version: AT }])
    expect(keys(await inbox.list(ann, OPEN))).toEqual(['result:t3'])
    expect(seen.at(-1)).toEqual(['t3'])
  })
})

const startInbox = async (
  outcomes: Record<string, 'fail' | 'complete'> = {},
  results: Record<string, object> = {},
) => {
  const agent = createFakeAgent(async ({ title }) => {
    if (outcomes[title] === 'fail') throw new Error(`${title} broke`)
    return { success: true, output: 'done', ...results[title] }
  })
  const api = await startApi({ adapters: [agent], env: { QUEUE_RETRY_ATTEMPTS: '1' }, background: true })
  const items = async (query = '', as = undefined as Principal | undefined): Promise<InboxItem[]> =>
    (await api.call(`GET /api/inbox${query}`, as && { as })).body.items
  return { ...api, items, outcomes }
}

describe('an item of the inbox', () => {
  it('of a failure is gone once it was retried with success, and there again with the next failure', async () => {
    await using api = await startInbox({ Fix: 'fail' })
    const { id } = await api.service.run({ title: 'Fix' })
    await until(async () => (await api.items()).length === 1)
    const [item] = await api.items()
    expect(item).toMatchObject({ kind: 'failure', mine: true, failure: { message: 'Fix broke', pending: 1 } })
    const counted = (await api.call('GET /api/inbox?limit=0')).body
    expect(counted).toMatchObject({ items: [], counts: { open: 1, ofKind: { failure: 1 } } })
    expect(await api.items('?limit=1')).toEqual(await api.items())
    expect(await api.items('', BOB)).toEqual([])
    expect(await api.items('?scope=all', BOB)).toMatchObject([{ kind: 'failure', mine: false }])
    await api.call('POST /api/inbox/done', { body: { items: [{ key: item?.key, version: item?.version }] } })
    expect(await api.items()).toEqual([])
    const letter = async () => (await api.call('GET /api/dlq')).body.items[0].id
    // It fails again, later: another occurrence.
    api.service.clock.advance(1_000)
    await api.call(`POST /api/dlq/${await letter()}/retry`)
    await until(async () => (await api.items()).length === 1)
    api.outcomes.Fix = 'complete'
    await api.call(`POST /api/dlq/${await letter()}/retry`)
    await api.service.reaches(id, 'completed')
    await until(async () => (await api.items()).every(({ kind }) => kind !== 'failure'))
  })

  it('of a result is gone once it was answered, retried, or marked as done', async () => {
    await using api = await startInbox()
    const [first, second, third] = [
      await api.service.run({ title: 'One' }),
      await api.service.run({ title: 'Two' }),
      await api.service.run({ title: 'Three' }),
    ]
    await turns()
    const results = async () =>
      (await api.items()).flatMap((item) => (item.kind === 'result' ? item.task.id : [])).sort()
    expect(await results()).toEqual([first.id, second.id, third.id].sort())
    const { body } = await api.call(`POST /api/tasks/${first.id}/messages`, { body: { content: 'Go on' } })
    await api.service.reaches(body.task.id, 'completed')
    expect(await results()).toEqual([second.id, third.id, body.task.id].sort())
    const retried = (await api.call(`POST /api/tasks/${second.id}/retry`)).body.task
    await api.service.reaches(retried.id, 'completed')
    expect(await results()).toEqual([third.id, body.task.id, retried.id].sort())
    const [{ key, version } = {}] = (await api.items()).filter(({ key }) => key === `result:${third.id}`)
    await api.call('POST /api/inbox/done', { body: { items: [{ key, version }] } })
    expect(await results()).toEqual([body.task.id, retried.id].sort())
  })

  it('of a question is there in the place of a result, until the task is replied to or retried', async () => {
    const question = { text: 'Which database?', options: ['PostgreSQL', 'SQLite'] }
    await using api = await startInbox({}, { Ask: { question }, Odd: { question: { text: '' } } })
    const asks = async (id: string) => (await api.call(`GET /api/tasks/${id}`)).body.task
    const kinds = async (as?: Principal) =>
      (await api.items('', as)).map(({ kind, key }) => [kind, key.slice(key.indexOf(':') + 1)])
    const first = await api.service.run({ title: 'Ask' })
    const second = await api.service.run({ title: 'Ask' })
    // What is no question is none, and says so.
    const odd = await api.service.run({ title: 'Odd' })
    await turns()
    expect(await asks(odd.id)).toMatchObject({
      result: { questionWarning: expect.stringMatching(/^The question .* is not shown: question.text: /) },
    })
    expect(await asks(odd.id)).not.toHaveProperty('question')
    expect((await kinds()).sort()).toEqual(
      [
        ['question', first.id],
        ['question', second.id],
        ['result', odd.id],
      ].sort(),
    )
    expect(await kinds(BOB)).toEqual([])
    expect(await api.items()).toContainEqual(
      expect.objectContaining({
        kind: 'question',
        mine: true,
        question,
        task: expect.objectContaining({ id: first.id }),
      }),
    )
    expect(await asks(first.id)).toMatchObject({ status: 'completed', question, result: { question } })
    const { body } = await api.call(`POST /api/tasks/${first.id}/messages`, { body: { content: 'SQLite' } })
    await api.service.reaches(body.task.id, 'completed')
    const retried = (await api.call(`POST /api/tasks/${second.id}/retry`)).body.task
    await api.service.reaches(retried.id, 'completed')
    expect((await kinds()).sort()).toEqual(
      [
        ['question', retried.id],
        ['result', odd.id],
        ['result', body.task.id],
      ].sort(),
    )
    // The result keeps what was asked.
    expect(await asks(first.id)).toMatchObject({ result: { question } })
    expect(await asks(first.id)).not.toHaveProperty('question')
    const { tasks } = (await api.call('GET /api/tasks?fields=question')).body
    expect(tasks.filter((task: object) => 'question' in task)).toEqual([{ id: retried.id, question }])
  })

  it('of a question of a schedule stays while later runs have results', async () => {
    const results: Record<string, object> = { Look: { question: { text: 'Go on?' } } }
    await using api = await startInbox({}, results)
    const { body } = await api.call('POST /api/schedules', {
      body: { name: 'Nightly', cron: '0 0 * * *', task: { title: 'Look' } },
    })
    for (const next of [{}, {}]) {
      api.service.clock.advance(1_000)
      const { task } = (await api.call(`POST /api/schedules/${body.schedule.id}/run`)).body
      await api.service.reaches(task.id, 'completed')
      results.Look = next
    }
    expect((await api.items()).map(({ kind }) => kind)).toEqual(['question', 'result'])
  })

  it('of a result says what came of it: by its first sentence, the lines of its diff and its pull request', async () => {
    const diff =
      'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,3 @@\n-old\n+new\n+more\n same\n'
    const pullRequest = { number: 412, url: 'https://github.com/acme/web/pull/412' }
    const results: Record<string, object> = {
      // What the agent reports of a whole diff does not count.
      Whole: {
        ...{ output: '## Done\n\nThe cart is **guarded** now. Ask me for more.', diff },
        ...{ filesChanged: [{ path: 'a.ts', additions: 20, deletions: 9 }] },
        published: { status: 'published', branch: 'b', pullRequest },
      },
      Cut: {
        ...{ output: `${'x'.repeat(1_000)}`, diff: `${diff}[diff truncated at 400 kB]\n` },
        ...{ filesChanged: [{ path: 'a.ts', additions: 20, deletions: 9 }, { additions: 5 }, null] },
        published: { branch: 'b', pullRequest: { number: '1', url: 'javascript:alert(1)' } },
      },
      Silent: { output: '' },
    }
    await using api = await startInbox({}, results)
    for (const title of Object.keys(results)) await api.service.run({ title })
    await until(async () => (await api.items()).length === 3)
    const briefs = (await api.items()).flatMap((item) =>
      item.kind === 'result' ? [[item.task.title, item.task.brief]] : [],
    )
    expect(Object.fromEntries(briefs)).toEqual({
      Whole: {
        text: 'The cart is guarded now.',
        changes: { files: 1, additions: 2, deletions: 1 },
        pullRequest,
      },
      Cut: { text: `${'x'.repeat(199)}…`, changes: { files: 1, additions: 20, deletions: 9 } },
      Silent: undefined,
    })
    // Of the inbox alone.
    const { tasks } = (await api.call('GET /api/tasks')).body
    expect(tasks).toHaveLength(3)
    for (const task of tasks) expect(task).not.toHaveProperty('brief')
  })

  it('of a schedule is its latest result alone, also once that was answered', async () => {
    await using api = await startInbox()
    const { body } = await api.call('POST /api/schedules', {
      body: { name: 'Nightly', cron: '0 0 * * *', task: { title: 'Look' } },
    })
    const runNow = async () => {
      api.service.clock.advance(1_000)
      const { task } = (await api.call(`POST /api/schedules/${body.schedule.id}/run`)).body
      await api.service.reaches(task.id, 'completed')
      return task.id as string
    }
    const results = async () =>
      (await api.items()).flatMap((item) => (item.kind === 'result' ? item.task.id : []))
    await runNow()
    const latest = await runNow()
    expect(await results()).toEqual([latest])
    const { task } = (await api.call(`POST /api/tasks/${latest}/messages`, { body: { content: 'Go on' } }))
      .body
    await api.service.reaches(task.id, 'completed')
    expect(await results()).toEqual([task.id])
  })

  it('of a webhook is there while a failed delivery has paused it', async () => {
    await using api = await startInbox()
    const { body } = await api.call('POST /api/webhooks', {
      body: { url: 'https://93.184.216.34/hook', events: ['task.completed'] },
    })
    const { id } = body.webhook
    expect(await api.items()).toEqual([])
    const { webhooks } = await import('../../lib/outbound-webhooks/rows.ts')
    await api.service.store.commit({ update: webhooks, key: id, set: { active: false, failing: true } })
    expect(await api.items()).toMatchObject([{ kind: 'webhook', mine: true, webhook: { id, failing: true } }])
    await api.call(`PATCH /api/webhooks/${id}`, { body: { active: true } })
    expect(await api.items()).toEqual([])
  })

  it('of a hold is there until the hold is over', async () => {
    await using api = await startInbox()
    const { holds } = api.service.ports
    await holds.limited('anthropic', { reason: 'Anthropic has reached a usage limit', retryAfterMs: HOUR_MS })
    const [item] = await api.items()
    expect(item).toMatchObject({ kind: 'hold', key: 'hold:anthropic', hold: { provider: 'anthropic' } })
    await holds.remove(holds.lastRead()[0]?.id ?? '')
    expect(await api.items()).toEqual([])
  })

  it('of a call that waits for approval comes first, and is gone once it is decided', async () => {
    await using api = await startInbox()
    await api.service.run({ title: 'One' })
    await api.service.approvals.ask({
      ...{ tool: 'write_file', risk: 'write', title: 'write_file a.txt', mode: 'ask' },
      ...{ userId: 'user_ann', taskId: 'task_1', arguments: { path: 'a.txt' } },
    })
    const [item] = await api.items()
    expect(item).toMatchObject({ kind: 'approval', approval: { title: 'write_file a.txt' } })
    expect(await api.items('?scope=all', BOB)).not.toContainEqual(
      expect.objectContaining({ kind: 'approval' }),
    )
    const id = item?.kind === 'approval' ? item.approval.id : ''
    await api.call(`POST /api/security/approvals/${id}`, { body: { decision: 'deny' } })
    expect((await api.items()).map(({ kind }) => kind)).toEqual(['result'])
  })
})
