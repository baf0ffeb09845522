import { describe, expect, it } from '@jest/globals'
import { pullRequestBody } from '../../lib/adapters/agents/repository/publication-texts.ts'
import type { AgentTask } from '../../lib/ports/agent.ts'
import { interpretEvent, type LABELS } from './interpreted.ts'
import * as github from './payloads/codehost.ts'

const send = (event: string | undefined, payload: unknown, labels?: typeof LABELS) =>
  interpretEvent('codehost', payload, event, labels)
const bot = { user: github.user('robo[bot]', 'Bot') }
const head = github.pullRequest().head as object
const ofTask = { head: { ...head, ref: 'agent/task_01K0000000000000000000000A' } }
const saidByTask = pullRequestBody({
  task: { id: 'task_1' } as AgentTask,
  output: 'Done',
  credentials: [],
  leftOut: [],
})
const fork = {
  head: { ...head, repo: github.repository('bea/shop', 2) },
}

describe('an event of the code host that makes a task', () => {
  it.each<[string, string, unknown, object]>([
    ['an issue opened with the label', 'issues', github.issueOpened(['bug', 'ai-task']), {}],
    ['an issue that gets the label', 'issues', github.issueLabeled('ai-task'), {}],
    ['a label in other letters', 'issues', github.issueLabeled('AI-Task'), {}],
    ['an issue opened by a program', 'issues', github.issueOpened(['ai-task'], bot), {}],
    [
      'an issue to review',
      'issues',
      github.issueLabeled('ai-review'),
      { title: 'Review: The cart forgets its last item' },
    ],
    ['an order in a comment', 'issue_comment', github.commentCreated('/ai fix it'), {}],
    [
      'an order of the owner',
      'issue_comment',
      github.commentCreated('/ai fix it', { author_association: 'OWNER' }),
      {},
    ],
    [
      'an order of a member',
      'issue_comment',
      github.commentCreated('/ai fix it', { author_association: 'MEMBER' }),
      {},
    ],
    ['an order of several lines', 'issue_comment', github.commentCreated('/ai\nfix it\nsoon'), {}],
  ])('is %s', (_what, event, payload, more) => {
    const { task } = send(event, payload)
    expect(task).toMatchObject({
      title: 'The cart forgets its last item',
      description: 'Add two items, remove one, reload.\r\n\r\nThe other one is gone too.',
      source: 'codehost',
      sourceId: 'acme/shop#12',
      sourceUrl: 'https://github.com/acme/shop/issues/12',
      repository: 'acme/shop',
      priority: 3,
      ...more,
    })
    expect(task).not.toHaveProperty('branch')
  })

  it.each<[string, string, unknown]>([
    ['a pull request that gets the label', 'pull_request', github.pullRequestLabeled('ai-review')],
    ['a pull request of which a review is requested', 'pull_request', github.reviewRequested()],
  ])('is %s', (_what, event, payload) => {
    const { task } = send(event, payload)
    expect(task).toMatchObject({
      title: 'Review: Keep the cart between visits',
      description: 'Stores the cart by session.',
      sourceId: 'acme/shop#14',
      sourceUrl: 'https://github.com/acme/shop/pull/14',
      repository: 'acme/shop',
      branch: 'keep-cart',
      prompt: expect.stringMatching(
        /^# Review a change\n[\s\S]*Change no file[\s\S]*ec26c3e57ca3a959ca5aad62de7213c562f8c821/,
      ),
    })
  })

  it('is a comment under a pull request, which says what it stands under', () => {
    const under = { pull_request: { url: 'https://api.github.com/repos/acme/shop/pulls/12' } }
    const { task } = send('issue_comment', github.commentCreated('/ai explain', {}, under))
    expect(task?.prompt).toMatch(/BEGIN is a \S+\npull request\nEND/)
    expect(task?.prompt).toMatch(/BEGIN comment \S+\nexplain\nEND comment/)
  })

  it.each([
    ['a label on what a task has opened', github.pullRequestLabeled('ai-review', ofTask)],
    ['a review of a fork that calls itself one', github.reviewRequested({ ...fork, body: saidByTask })],
  ])('is %s', (_what, payload) => {
    expect(send('pull_request', payload).task).toBeDefined()
  })

  it('names no branch of a fork, which is none of the repository, but says where it is', () => {
    const { task } = send('pull_request', github.reviewRequested(fork))
    expect(task).toMatchObject({ repository: 'acme/shop' })
    expect(task).not.toHaveProperty('branch')
    expect(task?.prompt).toMatch(/BEGIN comes from \S+\nbea\/shop\n/)
    expect(task?.prompt).toMatch(/BEGIN branch there \S+\nkeep-cart\n/)
  })

  it('goes by the labels that are set', () => {
    const labels = { task: 'robots please', review: 'look' }
    expect(send('issues', github.issueLabeled('robots please'), labels).task).toBeDefined()
    expect(send('pull_request', github.pullRequestLabeled('look'), labels).task).toBeDefined()
    expect(send('issues', github.issueLabeled('ai-task'), labels).task).toBeUndefined()
  })
})

describe('an event of the code host that makes none', () => {
  it.each<[string, string | undefined, unknown]>([
    ['an issue without the label', 'issues', github.issueOpened(['bug'])],
    [
      'another label of an issue that has it',
      'issues',
      { ...github.issueLabeled('ai-task'), label: github.label('bug') },
    ],
    ['a comment', 'issue_comment', github.commentCreated('Good idea')],
    ['a comment about /ai', 'issue_comment', github.commentCreated('Use /ai fix it')],
    ['a comment that begins as /ai does', 'issue_comment', github.commentCreated('/aiming high')],
    ['an order of nothing', 'issue_comment', github.commentCreated('/ai ')],
    ['an order of nothing but lines', 'issue_comment', github.commentCreated('/ai \r\n \t')],
    [
      'an order that is edited in',
      'issue_comment',
      { ...github.commentCreated('/ai fix it'), action: 'edited' },
    ],
    [
      'an order of a contributor',
      'issue_comment',
      github.commentCreated('/ai x', { author_association: 'CONTRIBUTOR' }),
    ],
    [
      'an order of a stranger',
      'issue_comment',
      github.commentCreated('/ai x', { author_association: 'NONE' }),
    ],
    [
      'an order of an unknown person',
      'issue_comment',
      github.commentCreated('/ai x', { author_association: undefined }),
    ],
    ['an order of a program', 'issue_comment', github.commentCreated('/ai x', bot)],
    [
      'an order by a program’s name',
      'issue_comment',
      github.commentCreated('/ai x', { user: github.user('robo[bot]') }),
    ],
    [
      'an order through an app',
      'issue_comment',
      github.commentCreated('/ai x', { performed_via_github_app: { id: 1 } }),
    ],
    ['a pull request labeled for a task', 'pull_request', github.pullRequestLabeled('ai-task')],
    ['a pull request that is opened', 'pull_request', { ...github.reviewRequested(), action: 'opened' }],
    ['a review of a branch of a task', 'pull_request', github.reviewRequested(ofTask)],
    ['a review of what a task opened', 'pull_request', github.reviewRequested({ body: saidByTask })],
    ['a ping', 'ping', github.ping],
    ['a push', 'push', github.push],
    ['an event of no name', undefined, github.issueLabeled('ai-task')],
    ['an event by the name of something else', 'constructor', {}],
  ])('is %s', (_what, event, payload) => {
    const body = send(event, payload)
    expect(body).toEqual({ message: expect.stringMatching(/\S/) })
  })
})
