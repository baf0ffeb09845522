import { describe, expect, it } from '@jest/globals'
import { interpretEvent } from './interpreted.ts'
import * as linear from './payloads/trackerb.ts'

const send = (payload: unknown) => interpretEvent('trackerb', payload)
const app = { actor: linear.actor('oauthClient') }

describe('an event of the second tracker that makes a task', () => {
  it.each<[string, unknown, object]>([
    ['an issue created with the label', linear.issueCreated(['ai-task']), { labels: ['ai-task'] }],
    ['an issue that gets the label', linear.labelsChanged(['bug'], ['bug', 'ai-task']), { priority: 2 }],
    [
      'an issue to review',
      linear.labelsChanged([], ['ai-review']),
      { title: 'Review: Search misses umlauts' },
    ],
    [
      'an issue with a branch',
      linear.issueCreated(['ai-task'], { branchName: 'ann/eng-12' }),
      { branch: 'ann/eng-12' },
    ],
  ])('is %s', (_what, payload, more) => {
    expect(send(payload).task).toMatchObject({
      title: 'Search misses umlauts',
      description: 'Looking for `für` finds nothing.',
      source: 'trackerb',
      sourceId: 'ENG-12',
      sourceUrl: 'https://linear.app/acme/issue/ENG-12/search-misses-umlauts',
      priority: 2,
      ...more,
    })
  })

  it('is an order in a comment, whose address names the issue', () => {
    const { task } = send(linear.commentCreated('/ai look into it'))
    expect(task).toMatchObject({
      title: 'Search misses umlauts',
      sourceId: 'ENG-12',
      sourceUrl: 'https://linear.app/acme/issue/ENG-12/search-misses-umlauts',
      priority: 3,
    })
  })

  it('is named by what there is where a comment has nothing else', () => {
    const bare = linear.commentCreated('/ai x', { issue: undefined, user: null }, { url: null, actor: null })
    const sourceId = '539068e2-ae88-4d09-bd75-22eb4a59612f'
    expect(send(bare).task).toMatchObject({ title: `Issue ${sourceId}`, sourceId })
  })

  it.each([
    [0, 3],
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 4],
    [5, 3],
  ])('of priority %i there is of priority %i', (given, priority) => {
    expect(send(linear.issueCreated(['ai-task'], { priority: given })).task).toMatchObject({ priority })
  })
})

describe('an event of the second tracker that makes none', () => {
  it.each<[string, unknown]>([
    ['an issue without the label', linear.issueCreated(['bug'])],
    ['another change of an issue that has the label', linear.titleChanged(['ai-task'])],
    ['another label of an issue that has it', linear.labelsChanged(['ai-task'], ['ai-task', 'bug'])],
    ['a comment', linear.commentCreated('Good idea')],
    ['an order of an app', linear.commentCreated('/ai x', {}, app)],
    ['an order of a program', linear.commentCreated('/ai x', { botActor: { id: 'x', type: 'github' } })],
    ['an order under no issue', linear.commentCreated('/ai x', { issueId: null, issue: null })],
    ['an order that is edited in', { ...linear.commentCreated('/ai x'), action: 'update' }],
    ['a project', { ...linear.issueCreated(['ai-task']), type: 'Project' }],
  ])('is %s', (_what, payload) => {
    expect(send(payload)).toEqual({ message: expect.stringMatching(/\S/) })
  })
})
