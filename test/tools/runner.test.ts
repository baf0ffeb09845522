import { rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import * as z from 'zod'
import { createOutbound } from '../../lib/adapters/node/outbound.ts'
import type { ApprovalAnswer, ApprovalRequest } from '../../lib/approvals/schema.ts'
import { Problem } from '../../lib/core/errors.ts'
import { createMasker } from '../../lib/core/masker.ts'
import { type SecurityMode, securityModes } from '../../lib/core/security-mode.ts'
import type { Workspace } from '../../lib/ports/workspace.ts'
import type { ToolCallRecord } from '../../lib/tools/audit.ts'
import type { Approvals } from '../../lib/tools/authorize.ts'
import { createWebSearch } from '../../lib/tools/builtin/search.ts'
import { createWebFetch } from '../../lib/tools/builtin/web-fetch.ts'
import { workspaceTools } from '../../lib/tools/catalog.ts'
import { defineTool, type Tool } from '../../lib/tools/tool.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeLog } from '../fakes/log.ts'
import { policySource } from '../fakes/policy.ts'
import { createWorkbench, never, toolsIn, type Workbench } from '../fakes/workbench.ts'

let bench: Workbench
let workspace: Workspace
beforeAll(async () => {
  bench = await createWorkbench()
  workspace = await bench.workspaces.create('runner')
})
afterAll(() => bench[Symbol.asyncDispose]())

const deaf = defineTool({
  name: 'deaf',
  description: 'Never ends',
  input: z.object({}),
  risk: 'read',
  subject: () => '',
  run: () => new Promise(() => undefined),
})
const broken = defineTool({
  ...deaf,
  name: 'broken',
  run: () => Promise.reject(Object.assign(new Error('open /srv/private/file'), { code: 'EIO' })),
})

const answering = (answer: ApprovalAnswer, asked: ApprovalRequest[] = []): Approvals => {
  const ask = async (request: ApprovalRequest) => {
    asked.push(request)
    return answer
  }
  return { ask, use: ask, waitState: async () => (answer.state === 'pending' ? 'pending' : 'decided') }
}

const unreachable = async (): Promise<never> => {
  throw new Error('A name was looked up before the approval')
}

const read = ['list_files', {}] as const
const write = ['write_file', { path: 'a.txt', content: 'a' }] as const
const execute = ['run_command', { command: 'true' }] as const

describe('the modes', () => {
  const table: [SecurityMode, string, string, string][] = [
    ['deny', 'denied', 'denied', 'denied'],
    ['sandbox', 'allowed', 'denied', 'denied'],
    ['allowlist', 'denied', 'allowed', 'denied'],
    ['ask', 'allowed', 'approved', 'approved'],
    ['full', 'allowed', 'allowed', 'allowed'],
  ]
  it.each(table)('%s: reading is %s, writing %s, executing %s', async (mode, ...expected) => {
    const approvals = answering({ state: 'approved' })
    const call = toolsIn(bench, workspace, { mode, approvals, allowedTools: ['write_file'] })
    const outcomes = [await call(...read), await call(...write), await call(...execute)]
    expect(outcomes.map(({ decision }) => decision)).toEqual(expected)
    expect(outcomes.map(({ failed }) => failed)).toEqual(expected.map((decision) => decision === 'denied'))
  })

  it.each(securityModes)('%s lets nothing past the guards', async (mode) => {
    const approvals = answering({ state: 'approved' })
    const allowedTools = workspaceTools.map(({ name }) => name)
    const call = toolsIn(bench, workspace, { mode, approvals, allowedTools })
    expect((await call('read_file', { path: '/etc/passwd' })).decision).toBe(
      mode === 'deny' ? 'denied' : 'blocked',
    )
  })

  it('tells the model only about tools that the mode can let through', () => {
    const names = (mode: SecurityMode) =>
      bench
        .runner()({ mode, workspace, userId: 'u', allowedTools: ['git'] })
        .specs.map(({ name }) => name)
    expect(names('deny')).toEqual([])
    expect(names('sandbox')).toEqual(['list_files', 'read_file', 'search_files'])
    expect(names('allowlist')).toEqual(['git'])
    expect(names('ask')).toEqual(workspaceTools.map(({ name }) => name))
  })

  it('describes arguments as JSON Schema', () => {
    const { specs } = bench.runner()({ mode: 'full', workspace, userId: 'u' })
    expect(specs.find(({ name }) => name === 'run_command')?.inputSchema).toMatchObject({
      type: 'object',
      properties: { command: { type: 'string' }, args: { type: 'array', items: { type: 'string' } } },
      required: ['command'],
    })
  })
})

describe('the policy', () => {
  const net = defineTool({ ...deaf, name: 'net', risk: 'network', run: async () => ({ content: 'ok' }) })

  it.each<[SecurityMode, string]>([
    ['deny', 'denied'],
    ['sandbox', 'denied'],
    ['allowlist', 'allowed'],
    ['ask', 'pending'],
    ['full', 'allowed'],
  ])('in mode %s makes a tool that sends data out %s', async (mode, decision) => {
    const approvals = answering({ state: 'pending', approvalId: 'apv_1' })
    const call = toolsIn(bench, workspace, { mode, approvals, tools: [net], allowedTools: ['net'] })
    expect(await call('net', {})).toMatchObject({ decision })
  })

  it.each(securityModes)(
    'refuses blocked tools in mode %s, and does not name them to the model',
    async (mode) => {
      const policy = policySource({ blockedTools: ['list_files'], allowedTools: ['list_files', 'read_file'] })
      const outcome = await toolsIn(bench, workspace, { mode, policy })(...read)
      expect(outcome.decision).toBe('denied')
      if (mode === 'full')
        expect(outcome.content).toContain('the policy of this installation blocks list_files')
      const { specs } = bench.runner({ policy })({ mode, workspace, userId: 'u' })
      expect(specs.map(({ name }) => name)).not.toContain('list_files')
    },
  )

  it('does not ask in mode ask about a tool that it allows, and has a person asked where it says that too', async () => {
    const approvals = answering({ state: 'pending', approvalId: 'apv_1' })
    const decision = async (rules: Parameters<typeof policySource>[0]) => {
      const policy = policySource({ allowedTools: ['write_file'], ...rules })
      return (await toolsIn(bench, workspace, { mode: 'ask', approvals, policy })(...write)).decision
    }
    expect(await decision({})).toBe('allowed')
    expect(await decision({ requireApprovalFor: ['write_file'] })).toBe('pending')
    expect(await decision({ blockedTools: ['write_file'] })).toBe('denied')
  })

  it('is the allowlist of a session that has none', async () => {
    const policy = policySource({ allowedTools: ['list_files'] })
    const toolbox = bench.runner({ policy })({ mode: 'allowlist', workspace, userId: 'u' })
    expect(toolbox.specs.map(({ name }) => name)).toEqual(['list_files'])
  })

  it.each<[SecurityMode, string]>([
    ['deny', 'denied'],
    ['sandbox', 'pending'],
    ['allowlist', 'pending'],
    ['ask', 'pending'],
    ['full', 'pending'],
  ])(
    'that requires approval of a tool makes it %s → %s, but not in an unattended session',
    async (mode, decision) => {
      const policy = policySource({ requireApprovalFor: ['list_files'], allowedTools: ['list_files'] })
      const approvals = answering({ state: 'pending', approvalId: 'apv_1' })
      const open = bench.runner({ policy, approvals })
      const session = { mode, workspace, userId: 'u' }
      const list = { id: '1', name: 'list_files', arguments: {} }
      expect(await open(session).call(list, never)).toMatchObject({ decision, failed: true })
      expect(await open({ ...session, unattended: true }).call(list, never)).toMatchObject({
        decision: mode === 'deny' ? 'denied' : 'allowed',
      })
    },
  )
})

describe('mode ask', () => {
  it('leaves a call pending until it is decided, and asks for others without making them', async () => {
    const asked: ApprovalRequest[] = []
    const approvals = answering({ state: 'pending', approvalId: 'apv_1' }, asked)
    const toolbox = bench.runner({ approvals })({ mode: 'ask', workspace, userId: 'u', conversationId: 'c' })
    const ask = (name: string, given: object) => toolbox.ask({ id: '1', name, arguments: given }, never)
    expect(await toolbox.call({ id: '1', name: 'write_file', arguments: write[1] }, never)).toMatchObject({
      decision: 'pending',
      approvalId: 'apv_1',
      failed: true,
    })
    expect(await ask(...write)).toMatchObject({ decision: 'pending', approvalId: 'apv_1' })
    expect(asked).toHaveLength(2)
    // A person is not asked about what needs no approval, what a guard refuses, or what cannot be read.
    expect(await ask(...read)).toBeUndefined()
    expect(await ask('write_file', { path: '../a', content: '' })).toMatchObject({ decision: 'blocked' })
    expect(await ask('write_file', {})).toMatchObject({ decision: 'invalid' })
    expect(asked).toHaveLength(2)
  })

  it('has each call on record once: refused at once, or when it is made', async () => {
    const records: ToolCallRecord[] = []
    const onToolCall = (record: ToolCallRecord) => void records.push(record)
    const answer: { state: ApprovalAnswer['state'] } = { state: 'pending' }
    const approvals = answering(Object.assign(answer, { approvalId: 'apv_1', reason: '' }) as ApprovalAnswer)
    const session = { mode: 'ask', workspace, userId: 'u' } as const
    const toolbox = bench.runner({ approvals, onToolCall })(session)
    const toolCall = (id: string, [name, given]: readonly [string, object]) => ({
      id,
      name,
      arguments: given,
    })
    const outside = ['write_file', { path: '../a', content: '' }] as const
    expect(await toolbox.call(toolCall('1', write), never)).toMatchObject({ decision: 'pending' })
    expect(await toolbox.ask(toolCall('2', read), never)).toBeUndefined()
    expect(await toolbox.ask(toolCall('3', outside), never)).toMatchObject({ decision: 'blocked' })
    expect(records.map(({ callId, decision }) => [callId, decision])).toEqual([['3', 'blocked']])
    answer.state = 'approved'
    await toolbox.call(toolCall('1', write), never, { isChecked: true })
    await toolbox.call(toolCall('2', read), never, { isChecked: true })
    expect(records.slice(1).map(({ callId, decision }) => [callId, decision])).toEqual([
      ['1', 'approved'],
      ['2', 'allowed'],
    ])
  })

  it('counts a call once, and has the other guards look again when it is made', async () => {
    const answer: { state: ApprovalAnswer['state'] } = { state: 'pending' }
    const approvals = answering(Object.assign(answer, { approvalId: 'apv_1' }) as ApprovalAnswer)
    const policy = policySource({ toolRateLimitPerMinute: 1 })
    const toolbox = bench.runner({ approvals, policy })({ mode: 'ask', workspace, userId: 'u' })
    const given = { path: 'later.txt', content: '' }
    const call = { id: '1', name: 'write_file', arguments: given }
    expect(await toolbox.call(call, never)).toMatchObject({ decision: 'pending' })
    expect(await toolbox.call({ ...call, id: '2' }, never)).toMatchObject({ decision: 'blocked' })
    answer.state = 'approved'
    await symlink('/etc/passwd', join(workspace.root, 'later.txt'))
    const made = await toolbox.call(call, never, { isChecked: true })
    expect([made.decision, made.content]).toEqual(['blocked', expect.stringMatching(/path-traversal/)])
    await rm(join(workspace.root, 'later.txt'))
    expect(await toolbox.call(call, never, { isChecked: true })).toMatchObject({ decision: 'approved' })
  })

  it('denies what cannot be approved there, and says so', async () => {
    expect(await toolsIn(bench, workspace, { mode: 'ask' })(...write)).toMatchObject({
      content: 'Denied: it needs approval, and no one can be asked here',
      decision: 'denied',
      failed: true,
    })
  })

  it('asks about these exact arguments, and only once the guards agree', async () => {
    const asked: ApprovalRequest[] = []
    const approvals = answering({ state: 'denied', reason: 'not today' }, asked)
    const call = toolsIn(bench, workspace, { mode: 'ask', approvals })
    expect(await call('write_file', { path: '../a', content: '' })).toMatchObject({ decision: 'blocked' })
    expect(await call(...write)).toMatchObject({ content: 'Denied: not today' })
    expect(asked).toEqual([
      {
        tool: 'write_file',
        risk: 'write',
        arguments: { path: 'a.txt', content: 'a' },
        title: 'write_file a.txt',
        mode: 'ask',
        userId: 'user_1',
        taskId: 'task_1',
      },
    ])
  })
})

describe('a call that its tool refuses anyway', () => {
  const webFetch = createWebFetch({
    outbound: createOutbound({ clock: createFakeClock(), allow: [], lookup: unreachable }),
    clock: createFakeClock(),
  }) as unknown as Tool
  const webSearch = createWebSearch(
    async () => [],
    async () => {
      throw new Problem('unsupported', 'web_search_not_configured', 'Web search is not configured')
    },
  ) as unknown as Tool
  const tools = [...workspaceTools, webFetch, webSearch]

  it.each([
    ['git', { args: ['push'] }, 'git push is not available'],
    ['git', { args: ['log', '--output=x'] }, 'The option --output is not available'],
    ['run_command', { command: 'git', args: ['status'] }, 'Use the git tool'],
    ['run_command', { command: 'npm test' }, 'command is the program alone'],
    ['write_file', { path: 'folder', content: '' }, 'folder is a folder'],
    ['write_file', { path: 'folder/kept.txt/below', content: '' }, 'has a file where a folder is needed'],
    ['edit_file', { path: 'none.txt', oldText: 'a', newText: 'b' }, 'none.txt does not exist'],
    ['edit_file', { path: 'folder/kept.txt', oldText: 'zz', newText: 'b' }, 'does not occur'],
    ['edit_file', { path: 'folder/kept.txt', oldText: 'kept', newText: 'kept' }, 'are the same'],
    ['web_fetch', { url: 'http://127.0.0.1/' }, 'is not a public address'],
    ['web_fetch', { url: 'http://0x7f.1/' }, 'is not a public address'],
    ['web_fetch', { url: 'http://169.254.169.254/latest' }, 'is not a public address'],
    ['web_fetch', { url: 'http://[::ffff:10.0.0.1]/' }, 'is not a public address'],
    ['web_fetch', { url: 'http://a.localhost./' }, 'is not a public address'],
    ['web_fetch', { url: 'https://user:secret@example.com/' }, 'must not contain credentials'],
    ['web_search', { query: 'x' }, 'not configured'],
  ])('is not asked about: %s %j', async (name, given, reason) => {
    await workspace.write('folder/kept.txt', 'kept once')
    const asked: ApprovalRequest[] = []
    const approvals = answering({ state: 'approved', approvalId: 'apv_1' }, asked)
    const call = toolsIn(bench, workspace, { mode: 'ask', approvals, tools })
    const outcome = await call(name, given)
    expect([outcome.decision, outcome.failed, asked]).toEqual(['invalid', true, []])
    expect(outcome.content).toContain(reason)
  })

  it.each([
    ['git', { args: ['status'] }],
    ['write_file', { path: 'new/file.txt', content: '' }],
    ['edit_file', { path: 'folder/kept.txt', oldText: 'once', newText: 'twice' }],
    // The name is looked up only after the approval: it may carry what the model read.
    ['web_fetch', { url: 'https://secret.example.com/' }],
    ['web_fetch', { url: 'https://8.8.8.8/' }],
  ])('and one that it may make is: %s %j', async (name, given) => {
    await workspace.write('folder/kept.txt', 'kept once')
    const asked: ApprovalRequest[] = []
    const approvals = answering({ state: 'denied', reason: 'not today' }, asked)
    const call = toolsIn(bench, workspace, { mode: 'ask', approvals, tools })
    expect(await call(name, given)).toMatchObject({ decision: 'denied' })
    expect(asked).toHaveLength(1)
  })
})

describe('a call', () => {
  it.each([
    ['of an unknown tool', 'rm', {}, 'There is no tool "rm".'],
    ['without a needed argument', 'read_file', {}, 'The arguments do not fit: path: '],
    ['with a wrong type', 'run_command', { command: 'a', args: 'b' }, 'The arguments do not fit: args: '],
    ['with text for arguments', 'read_file', '{"path":', 'The arguments do not fit: arguments: '],
  ])('%s fails with a reason', async (_, name, args, reason) => {
    const outcome = await toolsIn(bench, workspace)(name, args)
    expect(outcome).toMatchObject({ failed: true, decision: 'invalid' })
    expect(outcome.content.startsWith(reason)).toBe(true)
  })

  it('drops unknown argument keys', async () => {
    expect(await toolsIn(bench, workspace)('list_files', { path: '.', recursive: true })).toMatchObject({
      failed: false,
    })
  })

  it('keeps what went wrong inside the service from the model', async () => {
    const log = createFakeLog()
    const { content } = await toolsIn(bench, workspace, { tools: [broken], log })('broken', {})
    expect(content).toBe('broken failed (EIO).')
    expect(log.entries).toMatchObject([{ level: 'warn', fields: { tool: 'broken', err: { code: 'EIO' } } }])
  })

  it('masks known secrets in what it answers', async () => {
    await writeFile(join(workspace.root, 'b.txt'), 'the value is canary-1')
    const masker = createMasker(['canary-1'])
    const { content } = await toolsIn(bench, workspace, { masker })('read_file', { path: 'b.txt' })
    expect(content).toBe('the value is [masked]')
  })

  it('has a title without contents and secrets', () => {
    const { title } = bench.runner()({ mode: 'full', workspace, userId: 'u' })
    expect(title({ id: '1', name: 'write_file', arguments: { path: 'a.md', content: 'hidden' } })).toBe(
      'write_file a.md',
    )
    const args = ['-H', 'Authorization: Bearer abcdefgh12345678', 'x\ny'.repeat(200)]
    const line = title({ id: '2', name: 'run_command', arguments: { command: 'curl', args } })
    expect(line).toMatch(/^run_command curl -H Authorization: Bearer \[masked\] x y/)
    expect(line.length).toBeLessThanOrEqual(200)
    expect(title({ id: '3', name: 'nope', arguments: null })).toBe('nope')
  })

  it('is audited, refused ones included', async () => {
    const records: ToolCallRecord[] = []
    const onToolCall = (record: ToolCallRecord) => void records.push(record)
    const call = toolsIn(bench, workspace, { onToolCall, clock: createFakeClock() })
    await call(...write)
    await call('read_file', { path: '../x' })
    await call('nope', {})
    expect(records.map(({ tool, decision, guard }) => [tool, decision, guard])).toEqual([
      ['write_file', 'allowed', undefined],
      ['read_file', 'blocked', 'path-traversal'],
      ['nope', 'invalid', undefined],
    ])
    expect(records[0]).toEqual({
      callId: 'call_1',
      tool: 'write_file',
      risk: 'write',
      arguments: { path: 'a.txt', content: 'a' },
      result: 'Replaced a.txt, 1 bytes.',
      failed: false,
      decision: 'allowed',
      mode: 'full',
      userId: 'user_1',
      taskId: 'task_1',
      durationMs: 0,
    })
  })

  /** A tool that hears of its abort, and the call of one that never ends. */
  const heeding = defineTool({
    ...deaf,
    name: 'heeding',
    run: (_input, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  })
  const unjudged: Approvals = {
    ...answering({ state: 'approved' }),
    use: () => new Promise(() => undefined),
  }

  it.each<[what: string, tool: string, mode: SecurityMode, decision: string, result: RegExp]>([
    ['that runs', 'heeding', 'full', 'allowed', /^Stopped before its end: cancelled$/],
    ['that ignores it', 'deaf', 'full', 'allowed', /^Stopped before its end: cancelled$/],
    ['that is being checked', 'net', 'ask', 'denied', /^Denied: it was stopped before: cancelled$/],
  ])('%s when its run is aborted has failed, is on record once, and ends the run', async (_what, ...row) => {
    const [tool, mode, decision, result] = row
    const records: ToolCallRecord[] = []
    const onToolCall = (record: ToolCallRecord) => void records.push(record)
    const tools = [deaf, heeding, defineTool({ ...deaf, name: 'net', risk: 'network' })]
    const clock = createFakeClock()
    const controller = new AbortController()
    const reason = new Error('cancelled')
    const call = toolsIn(bench, workspace, { tools, clock, mode, onToolCall, approvals: unjudged })
    const made = call(tool, {}, controller.signal)
    await new Promise(setImmediate)
    clock.advance(7)
    controller.abort(reason)
    await new Promise(setImmediate)
    clock.advance(1_000)
    expect(await made).toMatchObject({ failed: true, decision, content: expect.stringMatching(result) })
    expect((await made).fault).toBe(reason)
    expect(records).toMatchObject([
      { tool, userId: 'user_1', taskId: 'task_1', decision, failed: true, mode },
    ])
    expect(records[0]?.result).toMatch(result)
    expect(records[0]?.durationMs).toBeGreaterThanOrEqual(7)
    await expect(call(tool, {}, controller.signal)).rejects.toBe(reason)
    expect(records).toHaveLength(1)
  })

  it('that cannot be checked is not made, is on record, and ends the run', async () => {
    const records: ToolCallRecord[] = []
    const onToolCall = (record: ToolCallRecord) => void records.push(record)
    const fault = new Error('storage at /srv/private is down')
    const countCall = () => Promise.reject(fault)
    const outcome = await toolsIn(bench, workspace, { countCall, onToolCall })(...write)
    expect(outcome).toMatchObject({ failed: true, decision: 'denied', fault })
    expect(records).toMatchObject([{ decision: 'denied', result: 'Denied: it could not be checked' }])
  })
})

describe('an expired approval that a run waits for', () => {
  const waitState = async () => 'expired' as const
  const opened = (owner: { taskId: string } | { conversationId: string }) =>
    bench.runner({
      approvals: { ...answering({ state: 'denied', reason: 'it was not decided in time' }), waitState },
    })({ mode: 'ask', workspace, userId: 'user_1', ...owner })

  it('denies the call of a conversation, whose turn goes on', async () => {
    expect(await opened({ conversationId: 'conv_1' }).isDecided('apv_1')).toBe(true)
  })

  it('fails the task for good', async () => {
    await expect(opened({ taskId: 'task_1' }).isDecided('apv_1')).rejects.toMatchObject({
      code: 'approval_expired',
      retryable: false,
    })
  })
})
