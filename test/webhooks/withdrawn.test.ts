import { describe, expect, it } from '@jest/globals'
import type { Sender } from '../../lib/webhooks/schema.ts'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { ANN, turns } from '../fakes/service.ts'
import { type StartedInbound, startInbound } from './inbound.ts'
import { interpretEvent } from './interpreted.ts'
import * as github from './payloads/codehost.ts'
import * as jira from './payloads/trackera.ts'
import * as linear from './payloads/trackerb.ts'

const ISSUES = {
  codehost: '1296269#12',
  trackera: 'https://acme.atlassian.net/10002',
  trackerb: linear.issue([]).id,
} as const
const acted = (payload: object, action: string) => ({ ...payload, action })

describe('an event that takes back what an issue asked for', () => {
  it.each<[string, Sender, string | undefined, object, 'all' | readonly string[]]>([
    ['an issue is closed', 'codehost', 'issues', github.issueClosed(), 'all'],
    ['an issue is deleted', 'codehost', 'issues', acted(github.issueClosed(), 'deleted'), 'all'],
    ['an issue goes elsewhere', 'codehost', 'issues', acted(github.issueClosed(), 'transferred'), 'all'],
    ['an issue loses the label', 'codehost', 'issues', github.issueUnlabeled('AI-Task'), ['task']],
    ['an issue loses that of reviews', 'codehost', 'issues', github.issueUnlabeled('ai-review'), ['review']],
    ['an issue is done', 'trackera', undefined, jira.statusChanged('done'), 'all'],
    ['an issue is resolved', 'trackera', undefined, jira.statusChanged('new', 'resolution'), 'all'],
    [
      'an issue is deleted',
      'trackera',
      undefined,
      { ...jira.issueCreated(['ai-task']), webhookEvent: 'jira:issue_deleted' },
      'all',
    ],
    ['an issue loses the label', 'trackera', undefined, jira.labelsChanged('ai-task shop', 'shop'), ['task']],
    ['an issue is completed', 'trackerb', undefined, linear.stateChanged('completed'), 'all'],
    ['an issue is canceled', 'trackerb', undefined, linear.stateChanged('canceled'), 'all'],
    ['an issue is removed', 'trackerb', undefined, acted(linear.issueCreated(['ai-task']), 'remove'), 'all'],
    [
      'an issue loses a label, and has none that asks for a task',
      'trackerb',
      undefined,
      linear.labelsChanged(['ai-task', 'ai-review'], ['ai-review']),
      ['task'],
    ],
  ])('tells that %s: %s', (_what, sender, header, payload, withdrawn) => {
    expect(interpretEvent(sender, payload, header)).toEqual({ issue: ISSUES[sender], withdrawn })
  })

  it.each<[string, string, object]>([
    ['is closed', 'pull_request', { ...github.pullRequestLabeled('ai-review'), action: 'closed' }],
    ['loses the label', 'pull_request', { ...github.pullRequestLabeled('ai-review'), action: 'unlabeled' }],
  ])('tells that a pull request %s', (_what, header, payload) => {
    expect(interpretEvent('codehost', payload, header)).toMatchObject({ issue: '1296269#14' })
  })

  it.each<[string, Sender, string | undefined, object]>([
    ['another label is taken away', 'codehost', 'issues', github.issueUnlabeled('bug')],
    ['an issue is worked on', 'trackera', undefined, jira.statusChanged('indeterminate')],
    ['another field of a done issue changes', 'trackera', undefined, jira.statusChanged('done', 'Rank')],
    ['another label is taken away', 'trackera', undefined, jira.labelsChanged('ai-task shop', 'ai-task')],
    ['an issue is worked on', 'trackerb', undefined, linear.stateChanged('started')],
    ['a label is added', 'trackerb', undefined, linear.labelsChanged([], ['bug'])],
    ['a title changes', 'trackerb', undefined, linear.titleChanged([])],
  ])('is none where %s: %s', (_what, sender, header, payload) => {
    expect(interpretEvent(sender, payload, header)).toEqual({ message: expect.stringMatching(/\S/) })
  })
})

const issues = (inbound: StartedInbound, payload: object, delivery?: string) =>
  inbound.deliver('codehost', payload, { event: 'issues', ...(delivery ? { delivery } : {}) })
const order = (inbound: StartedInbound) =>
  inbound.deliver('codehost', github.commentCreated('/ai hurry'), { event: 'issue_comment' })
const CANCELLED = { message: 'The pending task of this issue was cancelled' }
const LEFT = { message: 'No pending task to cancel' }

describe('the waiting task of an issue', () => {
  it.each<[string, Sender, string | undefined, object, object]>([
    ['is closed', 'codehost', 'issues', github.issueLabeled('ai-task'), github.issueClosed()],
    [
      'loses its label',
      'codehost',
      'issues',
      github.issueLabeled('ai-task'),
      github.issueUnlabeled('ai-task'),
    ],
    ['is done', 'trackera', undefined, jira.issueCreated(['ai-task']), jira.statusChanged('done')],
    [
      'is completed',
      'trackerb',
      undefined,
      linear.issueCreated(['ai-task']),
      linear.stateChanged('completed'),
    ],
    [
      'loses its label',
      'trackerb',
      undefined,
      linear.issueCreated(['ai-task']),
      linear.labelsChanged(['ai-task'], []),
    ],
  ])('is cancelled when the issue %s at %s', async (_what, sender, event, first, then) => {
    await using inbound = await startInbound()
    const header = event === undefined ? {} : { event }
    const { id } = (await inbound.deliver(sender, first, header)).body.task
    for (let n = 0; n < 2; n++) expect((await inbound.deliver(sender, then, header)).body).toEqual(CANCELLED)
    expect((await inbound.tasks.get(id)).status).toBe('cancelled')
    const { events } = await inbound.tasks.events(id)
    expect(events.at(-1)).toMatchObject({ type: 'cancelled', message: `by webhook:${sender}` })
    expect((await inbound.inbound.status())[sender].eventCount).toBe(2)
  })

  it('is left alone once a worker has begun it, and once it has ended', async () => {
    await using inbound = await startInbound({ adapters: [createFakeAgent(HOLD)], background: true })
    const { id } = (await issues(inbound, github.issueLabeled('ai-task'))).body.task
    await inbound.reaches(id, 'in_progress')
    expect((await issues(inbound, github.issueClosed())).body).toEqual(LEFT)
    expect((await inbound.tasks.get(id)).status).toBe('in_progress')
    await inbound.tasks.cancel(ANN, id)
    await turns()
    expect((await issues(inbound, github.issueClosed({ updated_at: 'later' }))).body).toEqual(LEFT)
  })

  it('is left alone where a setting or the environment says so', async () => {
    for (const how of ['setting', 'environment']) {
      await using inbound = await startInbound(
        how === 'environment' ? { env: { WEBHOOK_CANCEL_CLOSED: 'false' } } : {},
      )
      if (how === 'setting') await inbound.settings.change(ANN, { webhooks: { cancelClosed: false } })
      const { id } = (await issues(inbound, github.issueLabeled('ai-task'))).body.task
      expect((await issues(inbound, github.issueClosed())).body).toEqual(LEFT)
      expect((await inbound.tasks.get(id)).status).toBe('queued')
    }
  })

  it('that a comment asked for, or another label, is left alone when a label goes, and goes with the issue', async () => {
    await using inbound = await startInbound()
    const { id } = (await order(inbound)).body.task
    expect((await issues(inbound, github.issueUnlabeled('ai-task'))).body).toEqual(LEFT)
    expect((await inbound.tasks.get(id)).status).toBe('queued')
    expect((await issues(inbound, github.issueClosed())).body).toEqual(CANCELLED)
    const { id: review } = (await issues(inbound, github.issueLabeled('ai-review'))).body.task
    expect((await issues(inbound, github.issueUnlabeled('ai-task', { updated_at: 'later' }))).body).toEqual(
      LEFT,
    )
    expect((await inbound.tasks.get(review)).status).toBe('queued')
  })

  it('of another issue is left alone', async () => {
    await using inbound = await startInbound()
    const { id } = (await issues(inbound, github.issueLabeled('ai-task'))).body.task
    expect((await issues(inbound, github.issueClosed({ number: 13 }))).body).toEqual(LEFT)
    expect((await inbound.tasks.get(id)).status).toBe('queued')
  })
})

describe('a new issue that comes with its label, which is sent once more', () => {
  const opened = github.issueOpened(['ai-task', 'ai-review'])
  const labeled = github.issueLabeled('ai-task')

  it.each([
    ['opened', 'labeled', opened, labeled],
    ['labeled', 'opened', labeled, opened],
  ])('%s, then %s, makes one task, though the first has ended', async (_first, _then, first, then) => {
    for (const ends of [true, false]) {
      await using inbound = await startInbound()
      const { id } = (await issues(inbound, first, 'a')).body.task
      if (ends) await inbound.tasks.cancel(ANN, id)
      const answer = (await issues(inbound, then, 'b')).body
      expect(answer).toMatchObject({ message: 'A task for this already exists', task: { id } })
      expect((await issues(inbound, github.issueLabeled('ai-review'), 'c')).body.task.id).toBe(id)
      expect(await inbound.total()).toBe(1)
    }
  })

  it('makes one task where both are told at once', async () => {
    await using inbound = await startInbound()
    const answers = await Promise.all(
      [opened, labeled, opened, labeled].map((one, n) => issues(inbound, one, `${n}`)),
    )
    expect(new Set(answers.map(({ body }) => body.task.id)).size).toBe(1)
    expect(await inbound.total()).toBe(1)
  })

  it('makes another when it loses the label and gets it again, and when a comment asks', async () => {
    await using inbound = await startInbound()
    const { id } = (await issues(inbound, opened)).body.task
    await inbound.tasks.cancel(ANN, id)
    await issues(inbound, github.issueUnlabeled('ai-task'))
    const again = (await issues(inbound, labeled)).body
    expect(again.message).toBe('This event already created a task')
    await inbound.tasks.cancel(ANN, again.task.id)
    expect((await order(inbound)).body.message).toBe('This event already created a task')
    expect(await inbound.total()).toBe(3)
  })

  it('that came without one makes a task each time it is labeled anew', async () => {
    await using inbound = await startInbound()
    await issues(inbound, github.issueOpened(['bug']))
    for (const updated_at of ['1', '2']) {
      const { message, task } = (await issues(inbound, github.issueLabeled('ai-task', { updated_at }))).body
      expect(message).toBe('This event already created a task')
      await inbound.tasks.cancel(ANN, task.id)
    }
    expect(await inbound.total()).toBe(2)
  })
})

describe('a comment of Server and Data Center', () => {
  it('makes a task as one of Cloud does', () => {
    const { task } = interpretEvent('trackera', jira.serverCommented('/ai look into it'))
    expect(task).toMatchObject({ sourceId: 'SHOP-7', sourceUrl: 'https://jira.example.com/browse/SHOP-7' })
    expect(task?.prompt).toMatch(/BEGIN comment \S+\nlook into it\nEND comment/)
    expect(task?.prompt).toContain('Bea')
  })

  it.each([
    ['is no order', jira.serverCommented('Good idea')],
    ['is edited', jira.serverCommented('/ai x', 'issue_comment_edited')],
    ['is deleted', jira.serverCommented('/ai x', 'issue_comment_deleted')],
    ['names no issue', { ...jira.commentCreated('/ai x'), issue: undefined }],
  ])('makes none where it %s', (_what, payload) => {
    expect(interpretEvent('trackera', payload)).toEqual({ message: expect.stringMatching(/\S/) })
  })
})
