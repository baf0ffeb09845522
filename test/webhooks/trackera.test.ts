import { describe, expect, it } from '@jest/globals'
import { plainText } from '../../lib/core/document-text.ts'
import { interpretEvent } from './interpreted.ts'
import * as jira from './payloads/trackera.ts'

const send = (payload: unknown) => interpretEvent('trackera', payload)

describe('an event of the first tracker that makes a task', () => {
  it.each<[string, unknown, object]>([
    [
      'an issue created with the label',
      jira.issueCreated(['shop', 'ai-task']),
      { labels: ['shop', 'ai-task'] },
    ],
    ['an issue that gets the label', jira.labelsChanged('shop', 'shop ai-task'), { priority: 2 }],
    ['an issue that gets its first label', jira.labelsChanged('', 'ai-task'), {}],
    ['an issue to review', jira.labelsChanged('', 'ai-review'), { title: 'Review: Checkout counts twice' }],
  ])('is %s', (_what, payload, more) => {
    expect(send(payload).task).toMatchObject({
      title: 'Checkout counts twice',
      description: 'Click *Buy* twice.\n\nTwo orders.',
      source: 'trackera',
      sourceId: 'SHOP-7',
      sourceUrl: 'https://acme.atlassian.net/browse/SHOP-7',
      priority: 2,
      ...more,
    })
  })

  it.each([
    ['as text', '/ai look into it'],
    ['as a document', jira.documentWithText('/ai look into it')],
  ])('is an order in a comment, %s', (_how, body) => {
    const { task } = send(jira.commentCreated(body))
    expect(task).toMatchObject({
      title: 'Checkout counts twice',
      sourceId: 'SHOP-7',
      priority: 1,
      labels: [],
    })
    expect(task?.prompt).toMatch(/BEGIN comment \S+\nlook into it\nEND comment/)
  })

  it('has its description as text where it is a document', () => {
    const { task } = send(jira.issueCreated(['ai-task'], { description: jira.document }))
    expect(task?.description).toContain('1. Open the shop (https://shop.example.com)')
  })

  it.each([
    ['Highest', 1],
    ['High', 2],
    ['Medium', 3],
    ['Low', 4],
    ['Lowest', 4],
    ['Blocker', 1],
    ['constructor', 3],
  ])('of priority %s is of priority %i', (name, priority) => {
    expect(send(jira.issueCreated(['ai-task'], { priority: { name } })).task).toMatchObject({ priority })
  })

  it.each([
    ['https://jira.example.com/rest/api/2/issue/1', 'https://jira.example.com/browse/SHOP-7'],
    ['https://example.com/jira/rest/api/2/issue/1', 'https://example.com/jira/browse/SHOP-7'],
    ['https://api.atlassian.com/ex/jira/1-2/rest/api/2/issue/1', undefined],
    ['javascript:alert(1)', undefined],
  ])('at %s is found by people at %s', (self, sourceUrl) => {
    const event = { ...jira.issueCreated(['ai-task']), issue: jira.issue({ labels: ['ai-task'] }, { self }) }
    expect(send(event).task?.sourceUrl).toBe(sourceUrl)
  })
})

describe('an event of the first tracker that makes none', () => {
  it.each<[string, unknown]>([
    ['an issue without the label', jira.issueCreated(['shop'])],
    ['another change of an issue that has the label', jira.summaryChanged(['ai-task'])],
    ['another label of an issue that has it', jira.labelsChanged('ai-task', 'ai-task shop')],
    [
      'a change that does not say what it changed',
      { ...jira.labelsChanged('', 'ai-task'), changelog: undefined },
    ],
    ['a comment', jira.commentCreated('Good idea')],
    ['an order of a program', jira.commentCreated('/ai x', jira.person('Robo', 'app'))],
    ['an order that is edited in', { ...jira.commentCreated('/ai x'), webhookEvent: 'comment_updated' }],
    ['an event of no name', { issue: jira.issue() }],
  ])('is %s', (_what, payload) => {
    expect(send(payload)).toEqual({ message: expect.stringMatching(/\S/) })
  })
})

describe('a document as text', () => {
  it('has the words of every kind of node, in lines', () => {
    expect(plainText(jira.document)).toBe(
      [
        'Steps',
        '',
        '1. Open the shop (https://shop.example.com)',
        '2. Buy',
        'twice',
        '',
        '@Ann saw it on 2026-03-01 🔥',
        '',
        '```',
        'buy()',
        'buy()',
        '```',
        '',
        'order | sum',
        '',
        '- one',
        '- two',
        '',
        'shot.pnghttps://acme.atlassian.net/browse/SHOP-1',
      ].join('\n'),
    )
  })

  it.each([null, undefined, 7, true])('is none where there is %s', (value) => {
    expect(plainText(value)).toBeUndefined()
  })

  it('survives nodes that are none', () => {
    const odd = [
      null,
      7,
      { type: 7 },
      { type: 'date', attrs: { timestamp: 'x' } },
      { type: 'constructor', content: {} },
    ]
    expect(plainText({ type: 'doc', content: [...odd, { type: 'text', text: 'a', marks: [null, 7] }] })).toBe(
      'a',
    )
  })

  it('is made of a text of many spaces in no more time than it takes to read it', () => {
    const text = `${' '.repeat(500_000)}x`
    expect(plainText({ type: 'doc', content: [{ type: 'text', text }] })).toBe('x')
  })
})
