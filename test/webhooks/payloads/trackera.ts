/** Webhook payloads as Jira documents them, whole. */
type Json = Record<string, unknown>

const site = 'https://acme.atlassian.net'

export const person = (displayName: string, accountType = 'atlassian'): Json => ({
  self: `${site}/rest/api/2/user?accountId=5b10a2844c20165700ede21g`,
  accountId: '5b10a2844c20165700ede21g',
  avatarUrls: { '48x48': 'https://avatar-management.example.com/48' },
  displayName,
  active: true,
  timeZone: 'Europe/Vienna',
  accountType,
})

export const issue = (fields: Json = {}, more: Json = {}): Json => ({
  id: '10002',
  self: `${site}/rest/api/2/issue/10002`,
  key: 'SHOP-7',
  fields: {
    statuscategorychangedate: '2026-03-01T10:00:00.000+0100',
    issuetype: { id: '10004', name: 'Bug', subtask: false, hierarchyLevel: 0 },
    project: { id: '10000', key: 'SHOP', name: 'Shop', projectTypeKey: 'software' },
    created: '2026-03-01T10:00:00.000+0100',
    priority: { self: `${site}/rest/api/2/priority/2`, name: 'High', id: '2' },
    labels: [],
    updated: '2026-03-01T10:00:00.000+0100',
    status: { name: 'To Do', id: '10000', statusCategory: { id: 2, key: 'new' } },
    summary: 'Checkout counts twice',
    description: 'Click *Buy* twice.\n\nTwo orders.',
    creator: person('Ann'),
    reporter: person('Ann'),
    customfield_10019: '0|i0000f:',
    ...fields,
  },
  ...more,
})

export const issueCreated = (labels: readonly string[], fields: Json = {}): Json => ({
  timestamp: 1_772_359_200_000,
  webhookEvent: 'jira:issue_created',
  issue_event_type_name: 'issue_created',
  user: person('Ann'),
  issue: issue({ labels, ...fields }),
})

/** A change of the labels, from and to. */
export const labelsChanged = (from: string, to: string, fields: Json = {}): Json => ({
  timestamp: 1_772_359_300_000,
  webhookEvent: 'jira:issue_updated',
  issue_event_type_name: 'issue_updated',
  user: person('Ann'),
  issue: issue({ labels: to.split(' ').filter(Boolean), ...fields }),
  changelog: {
    id: '10124',
    items: [
      {
        field: 'labels',
        fieldtype: 'jira',
        fieldId: 'labels',
        from: null,
        fromString: from,
        to: null,
        toString: to,
      },
    ],
  },
})

/** Another change of an issue that has the label. */
export const summaryChanged = (labels: readonly string[]): Json => ({
  ...labelsChanged('', labels.join(' ')),
  changelog: {
    id: '10125',
    items: [
      {
        field: 'summary',
        fieldtype: 'jira',
        fieldId: 'summary',
        from: null,
        fromString: 'Old',
        to: null,
        toString: 'New',
      },
    ],
  },
})

export const commentCreated = (body: unknown, author = person('Bea')): Json => ({
  timestamp: 1_772_359_400_000,
  webhookEvent: 'comment_created',
  comment: {
    self: `${site}/rest/api/2/issue/10002/comment/10100`,
    id: '10100',
    author,
    body,
    updateAuthor: author,
    created: '2026-03-01T11:00:00.000+0100',
    updated: '2026-03-01T11:00:00.000+0100',
    jsdPublic: true,
  },
  issue: {
    id: '10002',
    self: `${site}/rest/api/2/issue/10002`,
    key: 'SHOP-7',
    fields: {
      summary: 'Checkout counts twice',
      issuetype: { id: '10004', name: 'Bug' },
      project: { id: '10000', key: 'SHOP', name: 'Shop' },
      assignee: null,
      priority: { name: 'Highest', id: '1' },
      status: { name: 'To Do', id: '10000' },
    },
  },
  eventType: 'primaryAction',
})

const server = 'https://jira.example.com'

/** A person as Server and Data Center tell of one. */
const serverPerson = (displayName: string): Json => ({
  self: `${server}/rest/api/2/user?username=${displayName.toLowerCase()}`,
  name: displayName.toLowerCase(),
  key: `JIRAUSER10100`,
  emailAddress: `${displayName.toLowerCase()}@example.com`,
  avatarUrls: { '48x48': `${server}/secure/useravatar?avatarId=10122` },
  displayName,
  active: true,
  timeZone: 'Europe/Vienna',
})

/** A comment as Server and Data Center tell of it: as a change of its issue. */
export const serverCommented = (body: string, kind = 'issue_commented'): Json => ({
  timestamp: 1_772_359_400_000,
  webhookEvent: 'jira:issue_updated',
  issue_event_type_name: kind,
  user: serverPerson('Bea'),
  issue: issue({ labels: ['ai-task'] }, { self: `${server}/rest/api/2/issue/10002` }),
  comment: {
    self: `${server}/rest/api/2/issue/10002/comment/10100`,
    id: '10100',
    author: serverPerson('Bea'),
    body,
    updateAuthor: serverPerson('Bea'),
    created: '2026-03-01T11:00:00.000+0100',
    updated: '2026-03-01T11:00:00.000+0100',
  },
})

/** A change of the status, to one of that category, or of another field. */
export const statusChanged = (category: string, field = 'status'): Json => ({
  ...labelsChanged('', 'ai-task', {
    status: { name: 'Any', id: '10002', statusCategory: { id: 3, key: category, name: 'Any' } },
  }),
  issue_event_type_name: 'issue_generic',
  changelog: {
    id: '10126',
    items: [
      {
        field,
        fieldtype: 'jira',
        fieldId: field,
        from: null,
        fromString: field === 'resolution' ? null : 'To Do',
        to: '10002',
        toString: 'Any',
      },
    ],
  },
})

const text = (words: string, marks?: readonly Json[]): Json => ({
  type: 'text',
  text: words,
  ...(marks ? { marks } : {}),
})
const paragraph = (...content: Json[]): Json => ({ type: 'paragraph', content })
const item = (...content: Json[]): Json => ({ type: 'listItem', content })

/** A document with one of each kind of node that people use. */
export const document: Json = {
  version: 1,
  type: 'doc',
  content: [
    { type: 'heading', attrs: { level: 2 }, content: [text('Steps')] },
    {
      type: 'orderedList',
      attrs: { order: 1 },
      content: [
        item(
          paragraph(
            text('Open the '),
            text('shop', [{ type: 'link', attrs: { href: 'https://shop.example.com' } }]),
          ),
        ),
        item(paragraph(text('Buy', [{ type: 'strong' }]), { type: 'hardBreak' }, text('twice'))),
      ],
    },
    paragraph(
      { type: 'mention', attrs: { id: '5b10', text: '@Ann', accessLevel: '' } },
      text(' saw it on '),
      { type: 'date', attrs: { timestamp: '1772323200000' } },
      text(' '),
      { type: 'emoji', attrs: { shortName: ':fire:', id: '1f525', text: '🔥' } },
    ),
    { type: 'codeBlock', attrs: { language: 'js' }, content: [text('buy()\nbuy()')] },
    {
      type: 'table',
      content: [
        {
          type: 'tableRow',
          content: [
            { type: 'tableHeader', content: [paragraph(text('order'))] },
            { type: 'tableHeader', content: [paragraph(text('sum'))] },
          ],
        },
      ],
    },
    { type: 'bulletList', content: [item(paragraph(text('one'))), item(paragraph(text('two')))] },
    { type: 'mediaSingle', content: [{ type: 'media', attrs: { type: 'file', alt: 'shot.png' } }] },
    paragraph({ type: 'inlineCard', attrs: { url: 'https://acme.atlassian.net/browse/SHOP-1' } }),
  ],
}

/** A comment as Jira's editor writes it. */
export const documentWithText = (words: string): Json => ({
  version: 1,
  type: 'doc',
  content: [paragraph(text(words))],
})
