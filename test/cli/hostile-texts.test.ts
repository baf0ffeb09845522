import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it } from '@jest/globals'
import { commands, main } from '../../lib/cli/main.ts'
import { onLoopback } from '../../offline/loopback.ts'
import { temporaryFolder } from '../journeys/service.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

/** Each kind of character that a terminal obeys, in a text of the service. */
const EVIL =
  'a\u0000\u0007\b\u001b[31m\u001b]0;t\u0007\u007f\u0085\u009b2J\u2028\u2029\u061c\u200e\u200f\u202a\u202e\u2066\u2069z'
const OBEYED = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

const AT = '2026-01-01T00:00:00.000Z'
const task = {
  id: EVIL,
  title: EVIL,
  prompt: EVIL,
  status: 'completed',
  agent: EVIL,
  createdAt: AT,
  priority: 3,
  branch: EVIL,
  result: {
    success: true,
    output: EVIL,
    diff: `+${EVIL}\n`,
    branch: EVIL,
    summary: EVIL,
    filesChanged: [{ path: EVIL, additions: 1, deletions: 1, binary: false }],
    leftOut: [{ path: EVIL, reason: EVIL }],
    pullRequest: { url: EVIL, number: 1 },
  },
  error: { code: EVIL, message: EVIL },
  match: { in: EVIL, text: EVIL },
}
const job = {
  id: EVIL,
  target: 'tasks',
  action: EVIL,
  status: 'completed',
  total: 1,
  done: 0,
  failed: 1,
  failures: [{ id: 'x', title: EVIL, error: EVIL }],
}
const event = { id: 'evt_1', taskId: EVIL, type: 'progress', timestamp: AT, message: EVIL, attempt: 1 }
const letter = { id: EVIL, taskId: EVIL, status: EVIL, title: EVIL, lastError: EVIL }
const pairing = { requestId: 'r', code: EVIL, formatted: EVIL, expiresAt: AT }
const approval = {
  id: EVIL,
  taskId: EVIL,
  toolName: EVIL,
  title: EVIL,
  params: { [EVIL]: EVIL },
  securityLevel: EVIL,
  requestedAt: AT,
  status: 'pending',
  userId: EVIL,
}
const schedule = {
  id: EVIL,
  name: EVIL,
  cron: EVIL,
  timezone: EVIL,
  enabled: true,
  task: { title: EVIL },
  lastError: { code: EVIL, message: EVIL },
  createdAt: AT,
  updatedAt: AT,
  createdBy: EVIL,
  runsAs: EVIL,
}
const said = {
  id: EVIL,
  conversationId: EVIL,
  role: 'assistant',
  content: EVIL,
  createdAt: AT,
  toolCalls: [{ id: EVIL, name: EVIL, arguments: EVIL, status: 'success', duration: 1, step: 1 }],
}
const policy = {
  defaultMode: 'ask',
  allowedTools: [],
  blockedTools: [],
  requireApprovalFor: [],
  auditAll: true,
  toolRateLimitPerMinute: 1,
}
const refusal = { error: EVIL, code: EVIL, requestId: EVIL }

/** Answers by the end of the path; the first that fits. */
const ANSWERS: readonly (readonly [RegExp, object])[] = [
  [/\/events$/, { taskId: EVIL, events: [event, { ...event, id: 'evt_2', type: 'completed' }], count: 2 }],
  [/\/sessions$/, { sessions: [], total: 0, count: 0 }],
  [
    /\/tasks\/import$/,
    { message: EVIL, results: { imported: 0, skipped: 0, errors: [{ index: 0, id: EVIL, message: EVIL }] } },
  ],
  [
    /\/messages$/,
    { task, message: { id: EVIL, taskId: EVIL, content: EVIL, createdAt: AT, state: 'delivered' } },
  ],
  [/\/(?:tasks|dlq)\/bulk$|\/bulk\/[^/]+$/, { job, count: 1, sample: [] }],
  [
    /\/tasks(?:\/filter)?$/,
    { message: EVIL, tasks: [task], task, total: 2, count: 1, limit: 1, offset: 0, nextCursor: EVIL },
  ],
  [/\/tasks\/[^/]+(?:\/\w+)?$/, { task, message: EVIL, originalTaskId: EVIL }],
  [/\/dlq$/, { items: [letter], total: 2, count: 1, limit: 1 }],
  [/\/dlq\/[^/]+\/\w+$/, { message: EVIL, item: letter, task }],
  [/\/approvals$/, { approvals: [approval] }],
  [/\/approvals\/[^/]+$/, { success: true, approval }],
  [/\/schedules$/, { schedules: [schedule], schedule, total: 2, count: 1, limit: 1 }],
  [/\/schedules\/[^/]+\/run$/, { message: EVIL, task }],
  [/\/schedules\/[^/]+$/, { schedule, message: EVIL, nextRuns: [] }],
  [/\/security\/policy$/, { policy, taskMode: 'ask' }],
  [
    /\/conversations$/,
    { conversation: { id: EVIL, title: EVIL, messageCount: 0, createdAt: AT, updatedAt: AT } },
  ],
  [/\/messages\/with-tools$/, { userMessage: said, assistantMessage: said, usage: {} }],
  [/\/pairing\/request$/, pairing],
  [/\/pairing\/status/, { status: 'rejected', reason: EVIL }],
]

/** Runs a command on a terminal, against a server whose texts are all evil; it refuses each call when `isRefusing`. */
const runOnTerminal = async (args: readonly string[], env: Record<string, string>, isRefusing = false) => {
  const server = createServer((request, response) => {
    request.resume()
    const path = new URL(request.url ?? '', 'http://localhost').pathname
    const found = isRefusing ? undefined : ANSWERS.find(([form]) => form.test(path))
    const status =
      found === undefined
        ? 400
        : request.method === 'POST' && /\/(?:tasks|request|messages|schedules|conversations)$/.test(path)
          ? 201
          : 200
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify(found?.[1] ?? refusal))
  })
  const { url, stop } = await onLoopback(server)
  const stream = () => Object.assign(new PassThrough(), { isTTY: true })
  const streams = { stdin: new PassThrough(), stdout: stream(), stderr: stream() }
  try {
    await main({ args, env: { AGENT_TASKS_URL: url, XDG_CONFIG_HOME: folder.path, ...env }, streams })
  } finally {
    await stop()
  }
  return (await text(streams.stdout.end())) + (await text(streams.stderr.end()))
}

const EXPORT = folder.in('export.json')
writeFileSync(EXPORT, '{"version":"1.0","tasks":[{"id":"a"}]}')
const CALLS: readonly (readonly string[])[] = [
  ['run', 'x'],
  ['run', 'x', '--no-wait'],
  ['run', 'x', '--continue', 'task_x'],
  ['reply', 'task_x', 'x'],
  ['reply', 'task_x', 'x', '--no-wait'],
  ['ls'],
  ['logs', 'task_x'],
  ['logs', '-f', 'task_x'],
  ['diff', 'task_x'],
  ['cancel', 'task_x'],
  ['retry', 'task_x'],
  ['retry', '--filter', 'status=failed', '--yes'],
  ['retry', '--filter', 'status=failed', '--dry-run'],
  ['dlq'],
  ['dlq', 'retry', 'dlq_x'],
  ['dlq', 'discard', 'dlq_x', 'dlq_y'],
  ['approve'],
  ['approve', 'apv_x'],
  ['chat', 'x'],
  ['schedule'],
  ['schedule', 'add', 'x', '--cron', '@daily'],
  ['schedule', 'run', 'x'],
  ['schedule', 'pause', 'x'],
  ['schedule', 'rm', 'x', '--yes'],
  ['import', EXPORT],
  ['open', 'task_x'],
  ['login'],
  ['api', 'getTask', 'id=x'],
]

describe('a text of the service', () => {
  it.each(CALLS.map((args) => [args.join(' '), args] as const))(
    'cannot do anything to the terminal of agent-tasks %s',
    async (_line, args) => {
      for (const json of [[], ['--json']]) {
        const shown = await runOnTerminal([...args, ...json], { NO_COLOR: '1', TERM: 'dumb' })
        expect(shown).not.toMatch(OBEYED)
        // The texts have come that far: they are shown, and not left out.
        if (args[0] !== 'open')
          expect(shown).toMatch(/\\u009b2J|^\{"count|is cancelled|is deleted|tasks? match/)
        expect(await runOnTerminal([...args, ...json], { NO_COLOR: '1', TERM: 'dumb' }, true)).not.toMatch(
          OBEYED,
        )
      }
      // With colours there are the sequences of colours and of progress, and none of the service's texts.
      const coloured = await runOnTerminal(args, {})
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the sequences of this program.
      const own = /\u001b\[(?:0|1|2|22|31|32|33|36|39)m|\r|\u001b\[K/g
      expect(coloured).not.toContain('\u001b[31m\\u001b')
      expect(coloured.replaceAll(own, '')).not.toMatch(OBEYED)
    },
  )

  it('is tried with every command but runner, which prints a log', () => {
    const tried = new Set([...CALLS.map(([name]) => name), 'runner'])
    expect(commands.map(({ name }) => name).filter((name) => !tried.has(name))).toEqual([])
  })
})
