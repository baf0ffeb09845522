import { describe, expect, it } from '@jest/globals'
import type { Sender } from '../../lib/webhooks/schema.ts'
import { startInbound } from './inbound.ts'
import { interpretEvent } from './interpreted.ts'
import * as github from './payloads/codehost.ts'
import * as jira from './payloads/trackera.ts'
import * as linear from './payloads/trackerb.ts'

type Json = Record<string, unknown>
type Case = [what: string, sender: Sender, payload: Json, event?: string]

const eve = github.user('Eve')
const robot = github.user('robo[bot]', 'Bot')
/** What Eve opened, and what she, or another one, does to it. */
const ofEve = (association: string | undefined): Json => ({ user: eve, author_association: association })
const by = (sender: Json | undefined, payload: Json): Json => ({ ...payload, sender })
const opened = (more: Json) => github.issueOpened(['ai-task'], more)
const labeled = (more: Json) => github.issueLabeled('ai-task', more)
const labeledChange = (more: Json) => github.pullRequestLabeled('ai-review', more)

const customer = jira.person('Cust', 'customer')
const app = jira.person('Automation for Jira', 'app')
const jiraBy = (user: Json | null | undefined, payload: Json): Json => ({ ...payload, user })
const created = (creator: Json | null | undefined) => jira.issueCreated(['ai-task'], { creator })

const external = { id: 'x', name: 'Eve', email: 'eve@example.org' }
const linearBy = (type: string | undefined, payload: Json): Json => ({
  ...payload,
  actor: type === undefined ? null : linear.actor(type),
})
const labelsOfExternal = linear.labelsChanged([], ['ai-task'], { externalUserCreatorId: 'x' })

describe('an outsider', () => {
  it.each<Case>([
    ...['NONE', 'CONTRIBUTOR', 'FIRST_TIMER', 'FIRST_TIME_CONTRIBUTOR', 'MANNEQUIN'].flatMap(
      (association): Case[] => [
        [
          `a template labels what ${association} opens`,
          'codehost',
          by(eve, opened(ofEve(association))),
          'issues',
        ],
        [
          `the label of that template, ${association}`,
          'codehost',
          by(eve, labeled(ofEve(association))),
          'issues',
        ],
      ],
    ),
    ['an issue whose sender is missing', 'codehost', by(undefined, opened(ofEve('NONE'))), 'issues'],
    ['a label whose sender is missing', 'codehost', by(undefined, labeled(ofEve('NONE'))), 'issues'],
    ['a sender in other letters', 'codehost', by(github.user('EVE'), labeled(ofEve('NONE'))), 'issues'],
    ['an issue to review', 'codehost', by(eve, github.issueLabeled('ai-review', ofEve('NONE'))), 'issues'],
    [
      'CODEOWNERS requests a review',
      'codehost',
      by(eve, github.reviewRequested(ofEve('NONE'))),
      'pull_request',
    ],
    ['a label on an own change', 'codehost', by(eve, labeledChange(ofEve('CONTRIBUTOR'))), 'pull_request'],

    ['a customer creates with the label', 'trackera', jiraBy(customer, created(customer))],
    ['a program creates for a customer', 'trackera', jiraBy(app, created(customer))],
    ['a customer who is only the creator', 'trackera', jiraBy(undefined, created(customer))],
    ['an anonymous person creates', 'trackera', jiraBy(null, created(null))],
    ['an anonymous person creates, without fields', 'trackera', jiraBy(undefined, created(undefined))],
    ['a customer adds the label', 'trackera', jiraBy(customer, jira.labelsChanged('', 'ai-task'))],
    ['an anonymous person adds the label', 'trackera', jiraBy(undefined, jira.labelsChanged('', 'ai-task'))],
    [
      'an unknown kind of person',
      'trackera',
      jiraBy(jira.person('X', 'unknown'), jira.labelsChanged('', 'ai-task')),
    ],

    [
      'an issue of a connected tool',
      'trackerb',
      linear.issueCreated(['ai-task'], { externalUserCreator: external }),
    ],
    [
      'an issue of a connected tool by id',
      'trackerb',
      linearBy('integration', linear.issueCreated(['ai-task'], { externalUserCreatorId: 'x' })),
    ],
    ['a label that an integration repeats', 'trackerb', linearBy('Integration', labelsOfExternal)],
    ['a label without an actor', 'trackerb', linearBy(undefined, labelsOfExternal)],
    [
      'a comment in a connected tool',
      'trackerb',
      linear.commentCreated('/ai fix it', { externalUser: external }),
    ],
    ['that comment by id', 'trackerb', linear.commentCreated('/ai fix it', { externalUserId: 'x' })],
  ])('makes no task: %s', (...[, sender, payload, event]: Case) => {
    expect(interpretEvent(sender, payload, event)).toEqual({ message: expect.stringMatching(/outside/) })
  })

  it('still withdraws what was asked: an author closes an issue', () => {
    const closed = by(eve, github.issueClosed(ofEve('NONE')))
    expect(interpretEvent('codehost', closed, 'issues')).toMatchObject({ withdrawn: 'all' })
  })
})

describe('a person inside', () => {
  it.each<Case>([
    ...['OWNER', 'MEMBER', 'COLLABORATOR'].flatMap((association): Case[] => [
      [`who opens, ${association}`, 'codehost', by(eve, opened(ofEve(association))), 'issues'],
      [`who labels an own issue, ${association}`, 'codehost', by(eve, labeled(ofEve(association))), 'issues'],
      [
        `who labels an own change, ${association}`,
        'codehost',
        by(eve, labeledChange(ofEve(association))),
        'pull_request',
      ],
    ]),
    ['who labels the issue of an outsider', 'codehost', labeled(ofEve('NONE')), 'issues'],
    ['who transfers the labeled issue of an outsider', 'codehost', opened(ofEve('NONE')), 'issues'],
    ['who labels the change of an outsider', 'codehost', labeledChange(ofEve('NONE')), 'pull_request'],
    ['who requests its review', 'codehost', github.reviewRequested(ofEve('FIRST_TIMER')), 'pull_request'],
    ['a program that labels it', 'codehost', by(robot, labeled(ofEve('NONE'))), 'issues'],
    [
      'a program that opens',
      'codehost',
      by(robot, opened({ user: robot, author_association: 'NONE' })),
      'issues',
    ],
    ['a payload without associations', 'codehost', by(eve, labeled(ofEve(undefined))), 'issues'],

    ['a person of the site', 'trackera', created(jira.person('Ann'))],
    [
      'who labels the issue of a customer',
      'trackera',
      jira.labelsChanged('', 'ai-task', { creator: customer }),
    ],
    ['a rule of the site', 'trackera', jiraBy(app, jira.labelsChanged('', 'ai-task', { creator: customer }))],
    ['a program of the site', 'trackera', jiraBy(app, created(app))],
    ['of Server', 'trackera', jiraBy({ name: 'ann', displayName: 'Ann' }, created({ name: 'ann' }))],

    ['who labels an issue of a connected tool', 'trackerb', labelsOfExternal],
    ['an OAuth client that labels it', 'trackerb', linearBy('oauthClient', labelsOfExternal)],
    [
      'an integration that labels an issue of a member',
      'trackerb',
      linearBy('integration', linear.labelsChanged([], ['ai-task'], { externalUserCreatorId: null })),
    ],
    ['an integration of a member', 'trackerb', linearBy('integration', linear.issueCreated(['ai-task']))],
  ])('makes a task: %s', (...[, sender, payload, event]: Case) => {
    expect(interpretEvent(sender, payload, event).task).toBeDefined()
  })
})

it('The issue that an outsider opens with the label waits for the label of a member', async () => {
  await using inbound = await startInbound()
  const send = async (payload: Json) => (await inbound.deliver('codehost', payload, { event: 'issues' })).body
  for (const payload of [opened, labeled])
    expect(await send(by(eve, payload(ofEve('NONE'))))).toEqual({ message: expect.stringMatching(/outside/) })
  expect(await inbound.total()).toBe(0)
  await send(github.issueUnlabeled('ai-task', ofEve('NONE')))
  const { task } = await send(labeled({ ...ofEve('NONE'), updated_at: '2026-03-01T11:00:00Z' }))
  expect(task).toMatchObject({ source: 'codehost', status: 'queued' })
  expect(await inbound.total()).toBe(1)
})
