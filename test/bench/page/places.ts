import type { Page } from 'playwright-core'
import { cutText } from '../../../lib/core/cut-text.ts'
import { finishedTasks } from '../../fixtures/finished-tasks.ts'
import { settled } from './longest-task.ts'

const id = 'thing'
const at = '2026-01-01T00:00:00.000Z'
const task = { ...finishedTasks(1)[0], id }

/** A place of the page that shows what a model, an agent or a person wrote. */
export type Place = {
  path: string
  /** The answers of the service, by the end of the path that is asked for. */
  answers: Readonly<Record<string, unknown>>
  /** What a person does there. */
  act?: (page: Page) => Promise<unknown>
}
const many = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n))
const click = (name: string) => (page: Page) =>
  page.getByRole('button', { name }).first().dispatchEvent('click')
/** Opens the first folds one after the other. */
const openFolds = async (page: Page) => {
  for (let n = 0; n < 3; n += 1) {
    const closed = page.locator('main details:not([open]) > summary').nth(n)
    if ((await closed.count()) > 0) await closed.dispatchEvent('click')
    await settled(page)
  }
}

const taskPlace = (fields: object, tab: string, more: object = {}): Place => ({
  path: `/tasks/${id}?tab=${tab}`,
  answers: {
    [`/api/tasks/${id}`]: { success: true, task: { ...task, status: 'completed', ...fields } },
    ...more,
  },
})
const resultPlace = (result: object, tab = 'output') =>
  taskPlace({ result: { success: true, output: 'x', ...result } }, tab)
const eventsAnswer = (events: object[]) => ({
  [`/api/tasks/${id}/events`]: {
    success: true,
    count: events.length,
    events: events.map((event, n) => ({
      id: `e${String(n).padStart(9, '0')}`,
      taskId: id,
      type: 'progress',
      timestamp: new Date(Date.parse(at) + n * 1000).toISOString(),
      ...event,
    })),
  },
})
const oneFileDiff = (text: string, sign: string) => {
  const lines = text.split('\n')
  return `diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,${lines.length} +1,${lines.length} @@\n${lines.map((line) => sign + line).join('\n')}\n`
}
/** Files of code with the text in it, whose first ones are open and highlighted. */
const codeDiff = (text: string) => {
  const lines = text.replaceAll('\n', ' ')
  return many(100, (n) => {
    const code = many(25, (line) => {
      const from = (25 * n + line) * 40
      return `+  const value${line} = await store.get('${cutText(lines.slice(from), 40)}', { limit: ${line} }) // of ${n}`
    })
    return `diff --git a/src/f${n}.ts b/src/f${n}.ts\n--- a/src/f${n}.ts\n+++ b/src/f${n}.ts\n@@ -0,0 +1,25 @@\n${code.join('\n')}\n`
  }).join('')
}
const inLines = (text: string, letters: number) =>
  many(Math.ceil(text.length / letters), (n) =>
    cutText(text.slice(n * letters), letters).replaceAll('\n', ' '),
  ).join('\n')

type SessionEvent = [type: string, data: object]
const session = {
  id,
  status: 'completed',
  userId: 'local',
  provider: 'p',
  model: 'm',
  conversationId: 'talk',
  createdAt: at,
  endedAt: at,
}
const eventStream = (events: SessionEvent[]) =>
  events
    .map(([type, data], index) => {
      const event = { id: String(index + 1), type, data, timestamp: Date.parse(at) + index + 1 }
      return `id: ${event.id}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`
    })
    .join('')
const sessionPlace = (events: SessionEvent[], asked: SessionEvent[] = []): Place => ({
  path: `/chat/sessions/${id}`,
  answers: {
    [`/api/chat/sessions/${id}`]: { success: true, session },
    [`/api/chat/sessions/${id}/events`]: eventStream([...asked, ['session:start', {}], ...events]),
  },
})
/** So many events of tools, in pairs of a call and its result. */
const toolEvents = (count: number, data: object) =>
  many(
    count,
    (n): SessionEvent => [
      n % 2 ? 'tool:result' : 'tool:call',
      { toolCallId: `t${n >> 1}`, name: 'write_file', arguments: {}, result: { content: 'x' }, ...data },
    ],
  )
const conversationPlace = (count: number, message: (n: number) => object): Place => ({
  path: `/chat/${id}`,
  answers: {
    [`/api/chat/conversations/${id}`]: {
      success: true,
      conversation: { id, title: 'T', messageCount: 2, createdAt: at, updatedAt: at },
      messages: many(count, (n) => ({
        id: `m${n}`,
        conversationId: id,
        role: 'assistant',
        content: 'x',
        createdAt: at,
        ...message(n),
      })),
    },
    '/api/chat/sessions': { success: true, sessions: [] },
  },
})
/** A view whose rows are what one answer has under `field`. */
const listPlace = (
  path: string,
  answer: string,
  field: string,
  rows: object[],
  more: object = {},
): Place => ({
  path,
  answers: { [answer]: { success: true, total: rows.length, count: rows.length, [field]: rows, ...more } },
})
const chunks = (count: number, chunk: (n: number) => object) =>
  many(count, (n) => ({ id: `c${n}`, path: 'a.md', startLine: 1, endLine: 9, ...chunk(n) }))
const chunksPlace = (count: number, chunk: (n: number) => object) =>
  listPlace('/memory?path=a.md', '/chunks', 'chunks', chunks(count, chunk), { path: 'a.md' })
const foundPlace = (count: number, chunk: (n: number) => object) =>
  listPlace('/memory?q=word', '/api/memory/search', 'chunks', chunks(count, chunk), {
    query: 'word',
    method: 'lexical',
  })
const experience = { type: 'tool_chain', successScore: 1, useCount: 1, createdAt: at, createdBy: 'local' }
const inboxPlace = (items: object[]) =>
  listPlace('/inbox', '/api/inbox', 'items', items, {
    counts: { open: items.length, snoozed: 0, ofKind: {} },
  })
const failureGroup = (text: string, n: number) => ({
  fingerprint: `f${n}`,
  code: cutText(text, 100),
  message: cutText(text.slice(n * 500), 2_000),
  count: 2,
  pending: 1,
  agent: cutText(text, 200),
  firstSeen: at,
  lastSeen: at,
  muted: false,
  spark: [1, 2, 3],
})
const auditPlace = (count: number, details: (n: number) => object) =>
  listPlace(
    '/settings/audit',
    '/api/audit',
    'records',
    many(count, (n) => ({
      id: `r${n}`,
      timestamp: at,
      userId: 'local',
      action: 'settings.change',
      details: details(n),
    })),
  )

const ofTasks = (text: string): Readonly<Record<string, Place>> => ({
  'output as written': { ...resultPlace({ output: text }), act: click('Source') },
  'details of a result': {
    ...resultPlace({ more: text, list: text.split('\n').slice(0, 2000) }),
    act: openFolds,
  },
  'diff added': resultPlace({ diff: oneFileDiff(text, '+') }, 'changes'),
  'diff added, long lines': resultPlace({ diff: oneFileDiff(inLines(text, 2_000), '+') }, 'changes'),
  'diff same, split': {
    ...resultPlace({ diff: oneFileDiff(inLines(text, 2_000), ' ') }, 'changes'),
    act: click('Split'),
  },
  'diff of code': { ...resultPlace({ diff: codeDiff(text) }, 'changes'), act: openFolds },
  'diff of code, split': { ...resultPlace({ diff: codeDiff(text) }, 'changes'), act: click('Split') },
  'no diff': resultPlace({ diff: text }, 'changes'),
  'left out': resultPlace(
    { leftOut: many(400, () => ({ path: cutText(text, 1_000), reason: 'name' })) },
    'changes',
  ),
  'log of long lines': taskPlace(
    {},
    'log',
    eventsAnswer(many(100, (n) => ({ message: cutText(text.slice(n * 900), 1_000) }))),
  ),
  'log of texts': taskPlace({}, 'log', eventsAnswer(many(4, () => ({ message: text })))),
  input: taskPlace({ prompt: text, description: text, metadata: { a: text } }, 'input'),
  raw: taskPlace({ prompt: text, description: text, title: cutText(text, 500) }, 'raw'),
  failure: taskPlace(
    { status: 'failed', title: cutText(text, 500), error: { code: 'agent_error', message: text } },
    'output',
  ),
  'metadata deep': taskPlace(
    { metadata: Object.fromEntries(many(200, (n) => [`k${n}${cutText(text, 50)}`, cutText(text, 100)])) },
    'input',
  ),
  'labels and names': taskPlace(
    {
      labels: many(50, (n) => `${n}${cutText(text.slice(n), 190)}`),
      repository: cutText(text, 500),
      branch: cutText(text, 500),
      agent: cutText(text, 200),
      sourceId: cutText(text, 500),
    },
    'input',
  ),
  'from memory': resultPlace({
    memory: {
      chunks: many(100, (n) => ({ id: `${n}`, path: cutText(text, 1000), heading: cutText(text, 1000) })),
      experiences: many(100, (n) => ({ id: `x${n}`, intent: cutText(text, 2_000) })),
    },
    published: { status: 'failed', branch: text, error: { code: 'x', message: text } },
  }),
  timeline: taskPlace({}, 'usage', {
    '/api/chat/sessions': {
      success: true,
      sessions: [{ ...session, taskId: id, conversationId: undefined }],
    },
    [`/api/chat/sessions/${id}/events`]: eventStream([
      ['session:start', {}],
      ...toolEvents(200, { name: cutText(text, 128), title: text.slice(0, 1000) }),
    ]),
    ...eventsAnswer(['created', 'started', 'failed'].map((type) => ({ type, attempt: 1, message: text }))),
  }),
})

const ofRuns = (text: string): Readonly<Record<string, Place>> => ({
  'run: words': sessionPlace(
    [
      ['thinking:update', { text }],
      ['thinking:end', {}],
      ['content', { text }],
      ['step:complete', {}],
      ['error', { code: 'x', message: text }],
    ],
    [['user_message', { content: text }]],
  ),
  'run: notes': sessionPlace([
    ...many(
      60,
      (n): SessionEvent => ['attempt:failed', { attempt: n, message: cutText(text.slice(n * 500), 1_000) }],
    ),
    ['complete', { notice: text, model: cutText(text, 200), finishReason: 'length' }],
  ]),
  'run: one note': sessionPlace([['attempt:failed', { attempt: 1, message: text }]]),
  'run: thoughts': {
    ...sessionPlace(
      many(40, (n): SessionEvent[] => [
        ['thinking:update', { text: cutText(text.slice(n * 500), 2_000) }],
        ['thinking:end', {}],
        ['tool:call', { toolCallId: `t${n}`, name: 'x', title: 'x', arguments: {} }],
      ]).flat(),
    ),
    act: openFolds,
  },
  'run: calls': {
    ...sessionPlace(
      toolEvents(60, {
        title: cutText(text, 200),
        arguments: { content: text, [cutText(text, 500)]: cutText(text, 500) },
        result: { content: text },
      }),
    ),
    act: openFolds,
  },
  'run: call of odd arguments': {
    ...sessionPlace([
      [
        'tool:call',
        {
          toolCallId: 't',
          name: 'write_file',
          title: text,
          arguments: Object.fromEntries(
            many(2000, (n) => [`${n}${cutText(text.slice(n), 20)}`, cutText(text.slice(n), 30)]),
          ),
        },
      ],
      ['tool:call', { toolCallId: 'u', name: 'x', title: 'x', arguments: text.split('\n') }],
    ]),
    act: openFolds,
  },
})

const ofChat = (text: string): Readonly<Record<string, Place>> => ({
  'chat: a long message of a person': conversationPlace(1, () => ({ role: 'user', content: text })),
  'chat: many messages': conversationPlace(50, (n) => ({
    role: n % 2 ? 'assistant' : 'user',
    content: cutText(text.slice(n * 400), 2_000),
  })),
  'chat: answers': conversationPlace(30, (n) => ({
    content: cutText(text.slice(n * 500), 6_000),
    error: { code: 'x', message: cutText(text, 1_000) },
    notice: cutText(text, 1_000),
    model: cutText(text, 200),
  })),
  'chat: an error': conversationPlace(1, () => ({
    content: '',
    error: { code: 'x', message: text },
    notice: text,
  })),
  'chat: calls': {
    ...conversationPlace(1, () => ({
      toolCalls: many(100, (n) => ({
        id: `t${n}`,
        step: 1,
        name: 'x',
        arguments: { a: text.slice(0, 2_000) },
        result: cutText(text, 5_000),
        status: 'success',
        duration: 1,
      })),
    })),
    act: openFolds,
  },
  'chat: list of conversations': listPlace(
    '/chat',
    '/api/chat/conversations',
    'conversations',
    many(50, (n) => ({
      id: `c${n}`,
      title: cutText(text, 500),
      messageCount: 1,
      createdAt: at,
      updatedAt: at,
    })),
  ),
})

const ofMemory = (text: string): Readonly<Record<string, Place>> => ({
  'memory: two chunks': chunksPlace(2, () => ({
    text,
    heading: cutText(text, 1_000),
    trail: [cutText(text, 500)],
  })),
  'memory: chunks': chunksPlace(60, (n) => ({
    text: cutText(text.slice(n * 300), 1_600),
    heading: cutText(text, 500),
  })),
  'memory: found': foundPlace(20, (n) => ({
    text: cutText(text.slice(n * 300), 1_600),
    heading: cutText(text, 500),
    trail: [],
    score: 1,
    foundBy: ['words'],
    terms: ['word', 'a', 'กขค', 'long', '漢字'],
  })),
  'memory: found, large': foundPlace(2, () => ({
    text,
    score: 1,
    foundBy: ['words'],
    terms: ['word', 'a', 'long'],
  })),
  'memory: an experience': {
    path: '/memory?show=experiences&item=thing',
    answers: {
      '/api/memory/experiences': { success: true, total: 0, experiences: [] },
      '/api/memory/experiences/thing': {
        success: true,
        experience: {
          ...experience,
          id,
          intent: cutText(text, 2_000),
          solution: text,
          tags: many(20, (n) => `${n}${cutText(text, 50)}`),
        },
      },
    },
  },
  'memory: experiences': listPlace(
    '/memory?show=experiences',
    '/api/memory/experiences',
    'experiences',
    many(50, (n) => ({
      ...experience,
      id: `x${n}`,
      intent: cutText(text.slice(n * 100), 2_000),
      solution: 'x',
      tags: [],
    })),
  ),
})

const ofLists = (text: string): Readonly<Record<string, Place>> => {
  return {
    inbox: inboxPlace(
      many(50, (n) => ({
        kind: 'result',
        key: `result:t${n}`,
        version: at,
        at,
        mine: true,
        task: {
          ...task,
          id: `t${n}`,
          title: cutText(text.slice(n * 500), 500),
          repository: cutText(text, 200),
        },
      })),
    ),
    'inbox, failures': inboxPlace(
      many(20, (n) => ({
        kind: 'failure',
        key: `failure:f${n}`,
        version: at,
        at,
        mine: true,
        failure: failureGroup(text, n),
      })),
    ),
    audit: auditPlace(50, (n) => ({
      before: cutText(text.slice(n * 500), 2_000),
      name: cutText(text, 300),
    })),
    'audit, an entry': {
      ...auditPlace(3, () => ({ before: text, after: { a: text, b: many(200, () => cutText(text, 100)) } })),
      act: (page) =>
        page.evaluate(() => (document.querySelector('main [data-row-link]') as HTMLElement)?.click()),
    },
    approvals: inboxPlace(
      many(60, (n) => {
        const content = text.slice(n * 300)
        const approval = {
          id: `a${n}`,
          userId: 'local',
          toolName: 'write_file',
          title: cutText(content, 200).replaceAll('\n', ' '),
          params: { content, path: cutText(content, 300) },
          securityLevel: 'write',
          requestedAt: at,
          status: 'pending',
        }
        return { kind: 'approval', key: `approval:a${n}`, version: at, at, mine: true, approval }
      }),
    ),
    tasks: listPlace(
      '/tasks',
      '/api/tasks/filter',
      'tasks',
      many(50, (n) => ({
        ...task,
        id: `t${n}`,
        title: cutText(text.slice(n * 500), 500),
        repository: cutText(text, 200),
        agent: cutText(text, 200),
        labels: many(9, (k) => `${k}${cutText(text, 100)}`),
      })),
    ),
    failures: listPlace(
      '/tasks/failures',
      '/api/failures',
      'groups',
      many(50, (n) => failureGroup(text, n)),
      { since: at, bucketMs: 3600000 },
    ),
  }
}

/** Each place with a text in it: uncut where it may be long there, else as long as it may be. */
export const hostileTextPlaces = (text: string): Readonly<Record<string, Place>> => ({
  ...ofTasks(text),
  ...ofRuns(text),
  ...ofChat(text),
  ...ofMemory(text),
  ...ofLists(text),
})
