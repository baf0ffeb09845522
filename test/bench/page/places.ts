import type { Page } from 'playwright-core'
import { cutText } from '../../../lib/core/cut-text.ts'
import { finishedTasks } from '../../ui/world.ts'
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

const ofTask = (fields: object, tab: string, more: object = {}): Pick<Place, 'path' | 'answers'> => ({
  path: `/tasks/${id}?tab=${tab}`,
  answers: {
    [`/api/tasks/${id}`]: { success: true, task: { ...task, status: 'completed', ...fields } },
    ...more,
  },
})
const oneFileDiff = (text: string, sign: string) => {
  const lines = text.split('\n')
  return `diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,${lines.length} +1,${lines.length} @@\n${lines.map((line) => sign + line).join('\n')}\n`
}
const inLines = (text: string, letters: number) =>
  many(Math.ceil(text.length / letters), (n) =>
    cutText(text.slice(n * letters), letters).replaceAll('\n', ' '),
  ).join('\n')

const event = (n: number, type: string, data: object) =>
  `id: ${n}\nevent: ${type}\ndata: ${JSON.stringify({ id: String(n), type, data, timestamp: Date.parse(at) + n })}\n\n`
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
const stream = (events: [string, object][]) =>
  events.map(([type, data], n) => event(n + 1, type, data)).join('')
const ofSession = (events: [string, object][]) => ({
  path: `/chat/sessions/${id}`,
  answers: {
    [`/api/chat/sessions/${id}`]: { success: true, session },
    [`/api/chat/sessions/${id}/events`]: stream(events),
  },
})
const message = (n: number, fields: object) => ({
  id: `m${n}`,
  conversationId: id,
  role: 'user',
  content: '',
  createdAt: at,
  ...fields,
})
const ofTalk = (messages: object[]) => ({
  path: `/chat/${id}`,
  answers: {
    [`/api/chat/conversations/${id}`]: {
      success: true,
      conversation: { id, title: 'T', messageCount: 2, createdAt: at, updatedAt: at },
      messages,
    },
    '/api/chat/sessions': { success: true, sessions: [] },
  },
})
const chunk = (n: number, text: string, more: object = {}) => ({
  id: `c${n}`,
  path: 'a.md',
  startLine: 1,
  endLine: 9,
  text,
  ...more,
})
const approval = (n: number, text: string) => ({
  id: `a${n}`,
  userId: 'local',
  toolName: 'write_file',
  title: cutText(text, 200).replaceAll('\n', ' '),
  params: { content: text, path: cutText(text, 300) },
  securityLevel: 'write',
  requestedAt: at,
  status: 'pending',
})

/** Each place with a text in it: whole where it may be long there, else as long as it may be. */
export const hostileTextPlaces = (text: string): Readonly<Record<string, Place>> => ({
  'output as written': {
    ...ofTask({ result: { success: true, output: text } }, 'output'),
    act: click('Source'),
  },
  'details of a result': {
    ...ofTask(
      { result: { success: true, output: 'x', more: text, list: text.split('\n').slice(0, 2000) } },
      'output',
    ),
    act: openFolds,
  },
  'diff added': ofTask({ result: { success: true, output: 'x', diff: oneFileDiff(text, '+') } }, 'changes'),
  'diff added, long lines': ofTask(
    { result: { success: true, output: 'x', diff: oneFileDiff(inLines(text, 2_000), '+') } },
    'changes',
  ),
  'diff same, split': {
    ...ofTask(
      { result: { success: true, output: 'x', diff: oneFileDiff(inLines(text, 2_000), ' ') } },
      'changes',
    ),
    act: click('Split'),
  },
  'no diff': ofTask({ result: { success: true, output: 'x', diff: text } }, 'changes'),
  'left out': ofTask(
    {
      result: {
        success: true,
        output: 'x',
        leftOut: many(400, () => ({ path: cutText(text, 1_000), reason: 'name' })),
      },
    },
    'changes',
  ),
  'log of long lines': ofTask({}, 'log', {
    [`/api/tasks/${id}/events`]: {
      success: true,
      count: 100,
      events: many(100, (n) => ({
        id: `e${String(n).padStart(9, '0')}`,
        taskId: id,
        type: 'progress',
        timestamp: at,
        message: cutText(text.slice(n * 900), 1_000),
      })),
    },
  }),
  'log of texts': ofTask({}, 'log', {
    [`/api/tasks/${id}/events`]: {
      success: true,
      count: 4,
      events: many(4, (n) => ({
        id: `e${String(n).padStart(9, '0')}`,
        taskId: id,
        type: 'progress',
        timestamp: at,
        message: text,
      })),
    },
  }),
  input: ofTask({ prompt: text, description: text, metadata: { a: text } }, 'input'),
  raw: ofTask({ prompt: text, description: text, title: cutText(text, 500) }, 'raw'),
  failure: ofTask(
    { status: 'failed', title: cutText(text, 500), error: { code: 'agent_error', message: text } },
    'output',
  ),
  'metadata deep': ofTask(
    { metadata: Object.fromEntries(many(200, (n) => [`k${n}${cutText(text, 50)}`, cutText(text, 100)])) },
    'input',
  ),
  'labels and names': ofTask(
    {
      labels: many(50, (n) => `${n}${cutText(text.slice(n), 190)}`),
      repository: cutText(text, 500),
      branch: cutText(text, 500),
      agent: cutText(text, 200),
      sourceId: cutText(text, 500),
    },
    'input',
  ),
  'from memory': ofTask(
    {
      result: {
        success: true,
        output: 'x',
        memory: {
          chunks: many(100, (n) => ({ id: `${n}`, path: cutText(text, 1000), heading: cutText(text, 1000) })),
          experiences: many(100, (n) => ({ id: `x${n}`, intent: cutText(text, 2_000) })),
        },
        published: { status: 'failed', branch: text, error: { code: 'x', message: text } },
      },
    },
    'output',
  ),
  timeline: ofTask({}, 'usage', {
    '/api/chat/sessions': {
      success: true,
      sessions: [{ ...session, taskId: id, conversationId: undefined }],
    },
    [`/api/chat/sessions/${id}/events`]: stream([
      ['session:start', {}],
      ...many(200, (n): [string, object] => [
        n % 2 ? 'tool:result' : 'tool:call',
        {
          toolCallId: `t${n >> 1}`,
          name: cutText(text, 128),
          title: text.slice(0, 1000),
          arguments: {},
          result: { content: 'x' },
        },
      ]),
    ]),
    [`/api/tasks/${id}/events`]: {
      success: true,
      count: 3,
      events: ['created', 'started', 'failed'].map((type, n) => ({
        id: `e${n}`,
        taskId: id,
        type,
        attempt: 1,
        timestamp: new Date(Date.parse(at) + n * 1000).toISOString(),
        message: text,
      })),
    },
  }),
  'run: words': ofSession([
    ['user_message', { content: text }],
    ['session:start', {}],
    ['thinking:update', { text }],
    ['thinking:end', {}],
    ['content', { text }],
    ['step:complete', {}],
    ['error', { code: 'x', message: text }],
  ]),
  'run: notes': ofSession([
    ['session:start', {}],
    ...many(60, (n): [string, object] => [
      'attempt:failed',
      { attempt: n, message: cutText(text.slice(n * 500), 1_000) },
    ]),
    ['complete', { notice: text, model: cutText(text, 200), finishReason: 'length' }],
  ]),
  'run: one note': ofSession([
    ['session:start', {}],
    ['attempt:failed', { attempt: 1, message: text }],
  ]),
  'run: thoughts': {
    ...ofSession([
      ['session:start', {}],
      ...many(40, (n): [string, object][] => [
        ['thinking:update', { text: cutText(text.slice(n * 500), 2_000) }],
        ['thinking:end', {}],
        ['tool:call', { toolCallId: `t${n}`, name: 'x', title: 'x', arguments: {} }],
      ]).flat(),
    ]),
    act: openFolds,
  },
  'run: calls': {
    ...ofSession([
      ['session:start', {}],
      ...many(60, (n): [string, object] => [
        n % 2 ? 'tool:result' : 'tool:call',
        {
          toolCallId: `t${n >> 1}`,
          name: 'write_file',
          title: cutText(text, 200),
          arguments: { content: text, [cutText(text, 500)]: cutText(text, 500) },
          result: { content: text },
        },
      ]),
    ]),
    act: openFolds,
  },
  'run: call of odd arguments': {
    ...ofSession([
      ['session:start', {}],
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
  'chat: a long message of a person': ofTalk([message(1, { content: text })]),
  'chat: many messages': ofTalk(
    many(50, (n) =>
      message(n, { role: n % 2 ? 'assistant' : 'user', content: cutText(text.slice(n * 400), 2_000) }),
    ),
  ),
  'chat: answers': ofTalk(
    many(30, (n) =>
      message(n, {
        role: 'assistant',
        content: cutText(text.slice(n * 500), 6_000),
        error: { code: 'x', message: cutText(text, 1_000) },
        notice: cutText(text, 1_000),
        model: cutText(text, 200),
      }),
    ),
  ),
  'chat: an error': ofTalk([
    message(1, { role: 'assistant', content: '', error: { code: 'x', message: text }, notice: text }),
  ]),
  'chat: calls': {
    ...ofTalk([
      message(1, {
        role: 'assistant',
        content: 'x',
        toolCalls: many(100, (n) => ({
          id: `t${n}`,
          step: 1,
          name: 'x',
          arguments: { a: text.slice(0, 2_000) },
          result: cutText(text, 5_000),
          status: 'success',
          duration: 1,
        })),
      }),
    ]),
    act: openFolds,
  },
  'chat: list of conversations': {
    path: '/chat',
    answers: {
      '/api/chat/conversations': {
        success: true,
        total: 50,
        conversations: many(50, (n) => ({
          id: `c${n}`,
          title: cutText(text, 500),
          messageCount: 1,
          createdAt: at,
          updatedAt: at,
        })),
      },
    },
  },
  'memory: two chunks': {
    path: '/memory?path=a.md',
    answers: {
      '/chunks': {
        success: true,
        path: 'a.md',
        chunks: many(2, (n) =>
          chunk(n, text, { heading: cutText(text, 1_000), trail: [cutText(text, 500)] }),
        ),
      },
    },
  },
  'memory: chunks': {
    path: '/memory?path=a.md',
    answers: {
      '/chunks': {
        success: true,
        path: 'a.md',
        chunks: many(60, (n) =>
          chunk(n, cutText(text.slice(n * 300), 1_600), { heading: cutText(text, 500) }),
        ),
      },
    },
  },
  'memory: found': {
    path: '/memory?q=word',
    answers: {
      '/api/memory/search': {
        success: true,
        query: 'word',
        method: 'lexical',
        count: 20,
        chunks: many(20, (n) =>
          chunk(n, cutText(text.slice(n * 300), 1_600), {
            heading: cutText(text, 500),
            trail: [],
            score: 1,
            foundBy: ['words'],
            terms: ['word', 'a', 'กขค', 'long', '漢字'],
          }),
        ),
      },
    },
  },
  'memory: found, large': {
    path: '/memory?q=word',
    answers: {
      '/api/memory/search': {
        success: true,
        query: 'word',
        method: 'lexical',
        count: 2,
        chunks: many(2, (n) =>
          chunk(n, text, { score: 1, foundBy: ['words'], terms: ['word', 'a', 'long'] }),
        ),
      },
    },
  },
  'memory: an experience': {
    path: '/memory?show=experiences&item=thing',
    answers: {
      '/api/memory/experiences': { success: true, total: 0, experiences: [] },
      '/api/memory/experiences/thing': {
        success: true,
        experience: {
          id,
          type: 'tool_chain',
          intent: cutText(text, 2_000),
          solution: text,
          tags: many(20, (n) => `${n}${cutText(text, 50)}`),
          successScore: 1,
          useCount: 1,
          createdAt: at,
          createdBy: 'local',
        },
      },
    },
  },
  'memory: experiences': {
    path: '/memory?show=experiences',
    answers: {
      '/api/memory/experiences': {
        success: true,
        total: 50,
        experiences: many(50, (n) => ({
          id: `x${n}`,
          type: 'tool_chain',
          intent: cutText(text.slice(n * 100), 2_000),
          solution: 'x',
          tags: [],
          successScore: 1,
          useCount: 1,
          createdAt: at,
          createdBy: 'local',
        })),
      },
    },
  },
  notifications: {
    path: '/notifications',
    answers: {
      '/api/notifications': {
        success: true,
        total: 50,
        unread: 50,
        notifications: many(50, (n) => ({
          id: `n${n}`,
          type: 'task_failed',
          title: cutText(text.slice(n * 100), 500),
          message: cutText(text.slice(n * 700), 2_000),
          taskId: 'x',
          read: false,
          createdAt: at,
        })),
      },
    },
  },
  bell: {
    path: '/agents',
    act: click('Notifications'),
    answers: {
      '/api/notifications': {
        success: true,
        total: 50,
        unread: 50,
        notifications: many(20, (n) => ({
          id: `n${n}`,
          type: 'task_failed',
          title: cutText(text.slice(n * 100), 500),
          message: cutText(text.slice(n * 700), 2_000),
          taskId: 'x',
          read: false,
          createdAt: at,
        })),
      },
    },
  },
  'notifications of texts': {
    path: '/notifications',
    answers: {
      '/api/notifications': {
        success: true,
        total: 50,
        unread: 50,
        notifications: many(10, (n) => ({
          id: `n${n}`,
          type: 'task_failed',
          title: 'x',
          message: text,
          taskId: 'x',
          read: false,
          createdAt: at,
        })),
      },
    },
  },
  'bell of texts': {
    path: '/agents',
    act: click('Notifications'),
    answers: {
      '/api/notifications': {
        success: true,
        total: 50,
        unread: 50,
        notifications: many(10, (n) => ({
          id: `n${n}`,
          type: 'task_failed',
          title: 'x',
          message: text,
          taskId: 'x',
          read: false,
          createdAt: at,
        })),
      },
    },
  },
  audit: {
    path: '/audit',
    answers: {
      '/api/audit': {
        success: true,
        total: 50,
        records: many(50, (n) => ({
          id: `r${n}`,
          timestamp: at,
          userId: 'local',
          action: 'settings.change',
          details: { before: cutText(text.slice(n * 500), 2_000), name: cutText(text, 300) },
        })),
      },
    },
  },
  'audit, an entry': {
    path: '/audit',
    act: async (page) => {
      await page.evaluate(() => (document.querySelector('main [data-row-link]') as HTMLElement)?.click())
    },
    answers: {
      '/api/audit': {
        success: true,
        total: 3,
        records: many(3, (n) => ({
          id: `r${n}`,
          timestamp: at,
          userId: 'local',
          action: 'settings.change',
          details: { before: text, after: { a: text, b: many(200, () => cutText(text, 100)) } },
        })),
      },
    },
  },
  approvals: {
    path: '/approvals',
    answers: {
      '/api/security/approvals': {
        success: true,
        approvals: many(60, (n) => approval(n, text.slice(n * 300))),
      },
    },
  },
  tasks: {
    path: '/tasks',
    answers: {
      '/api/tasks/filter': {
        success: true,
        total: 50,
        tasks: many(50, (n) => ({
          ...task,
          id: `t${n}`,
          title: cutText(text.slice(n * 500), 500),
          repository: cutText(text, 200),
          agent: cutText(text, 200),
          labels: many(9, (k) => `${k}${cutText(text, 100)}`),
        })),
      },
    },
  },
  failures: {
    path: '/failures',
    answers: {
      '/api/failures': {
        success: true,
        since: at,
        bucketMs: 3600000,
        groups: many(50, (n) => ({
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
        })),
      },
    },
  },
})
