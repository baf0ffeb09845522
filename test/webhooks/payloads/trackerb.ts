/** Webhook payloads as Linear documents them, whole. */
type Json = Record<string, unknown>

const ISSUE_ID = '539068e2-ae88-4d09-bd75-22eb4a59612f'
const site = 'https://linear.app/acme/issue/ENG-12'

const labels: Readonly<Record<string, string>> = {
  'ai-task': 'cc4c3a5e-0a3f-4c5b-9d3f-000000000001',
  'ai-review': 'cc4c3a5e-0a3f-4c5b-9d3f-000000000002',
}
const labelId = (name: string): string => labels[name] ?? `cc4c3a5e-0a3f-4c5b-9d3f-0000${name.length}`

export const actor = (type = 'user'): Json => ({
  id: 'b5ea5f1f-8adc-4f52-b4bd-ab4e84cf51ba',
  type,
  name: 'Ann',
  email: 'ann@example.com',
  url: 'https://linear.app/acme/profiles/ann',
})

export const issue = (names: readonly string[], more: Json = {}): Json => ({
  id: ISSUE_ID,
  createdAt: '2026-03-01T10:00:00.000Z',
  updatedAt: '2026-03-01T10:00:00.000Z',
  number: 12,
  title: 'Search misses umlauts',
  priority: 2,
  sortOrder: -2_345.5,
  boardOrder: 0,
  teamId: '72b2a2dc-6f4f-4423-9d34-24b5bd10634a',
  previousIdentifiers: [],
  creatorId: 'b5ea5f1f-8adc-4f52-b4bd-ab4e84cf51ba',
  stateId: '7cbb1d2b-3b1a-4d0a-8a5c-7b1d5b7d9a11',
  priorityLabel: 'High',
  url: `${site}/search-misses-umlauts`,
  subscriberIds: [],
  labelIds: names.map(labelId),
  state: { id: '7cbb1d2b', color: '#e2e2e2', name: 'Todo', type: 'unstarted' },
  team: { id: '72b2a2dc-6f4f-4423-9d34-24b5bd10634a', key: 'ENG', name: 'Engineering' },
  labels: names.map((name) => ({ id: labelId(name), color: '#bec2c8', name })),
  identifier: 'ENG-12',
  description: 'Looking for `für` finds nothing.',
  ...more,
})

const around = (action: string, type: string): Json => ({
  action,
  actor: actor(),
  createdAt: '2026-03-01T10:00:00.000Z',
  type,
  organizationId: 'dc844923-f9a4-40a3-825c-dea7747e57e6',
  webhookTimestamp: 1_772_359_200_000,
  webhookId: '000042e3-d123-4980-b49f-8e140eef9329',
})

export const issueCreated = (names: readonly string[], more: Json = {}): Json => ({
  ...around('create', 'Issue'),
  data: issue(names, more),
  url: `${site}/search-misses-umlauts`,
})

/** A change of the labels, from and to. */
export const labelsChanged = (from: readonly string[], to: readonly string[], more: Json = {}): Json => ({
  ...around('update', 'Issue'),
  data: issue(to, more),
  updatedFrom: { updatedAt: '2026-03-01T09:00:00.000Z', labelIds: from.map(labelId) },
  url: `${site}/search-misses-umlauts`,
})

/** A change of the state, to one of that type. */
export const stateChanged = (type: string, names: readonly string[] = ['ai-task']): Json => ({
  ...around('update', 'Issue'),
  data: issue(names, { state: { id: '7cbb1d2c', color: '#95a2b3', name: 'Any', type } }),
  updatedFrom: { updatedAt: '2026-03-01T09:00:00.000Z', stateId: '7cbb1d2b' },
  url: `${site}/search-misses-umlauts`,
})

export const titleChanged = (names: readonly string[]): Json => ({
  ...around('update', 'Issue'),
  data: issue(names),
  updatedFrom: { updatedAt: '2026-03-01T09:00:00.000Z', title: 'Old' },
  url: `${site}/search-misses-umlauts`,
})

export const commentCreated = (body: string, more: Json = {}, event: Json = {}): Json => ({
  ...around('create', 'Comment'),
  data: {
    id: '2174add1-f7c8-44e3-bbf3-2d60b5ea8bc9',
    createdAt: '2026-03-01T11:00:00.000Z',
    updatedAt: '2026-03-01T11:00:00.000Z',
    body,
    issueId: ISSUE_ID,
    userId: 'b5ea5f1f-8adc-4f52-b4bd-ab4e84cf51ba',
    reactionData: [],
    issue: { id: ISSUE_ID, title: 'Search misses umlauts' },
    user: { id: 'b5ea5f1f-8adc-4f52-b4bd-ab4e84cf51ba', name: 'Ann' },
    ...more,
  },
  url: `${site}/search-misses-umlauts#comment-2174add1`,
  ...event,
})
