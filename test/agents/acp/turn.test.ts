import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals'
import { createAcpAgent } from '../../../lib/adapters/agents/acp/agent.ts'
import type { AcpProgram } from '../../../lib/adapters/agents/acp/catalog.ts'
import { createDecide } from '../../../lib/adapters/agents/acp/permissions.ts'
import type { Brokered } from '../../../lib/adapters/agents/broker/run.ts'
import { searchProgram } from '../../../lib/adapters/agents/programs.ts'
import { createRepositories } from '../../../lib/adapters/node/repositories.ts'
import type { Cost } from '../../../lib/core/cost.ts'
import type { SecurityMode } from '../../../lib/core/security-mode.ts'
import type { AgentContext, AgentResult } from '../../../lib/ports/agent.ts'
import type { Clock } from '../../../lib/ports/clock.ts'
import type { LoopEvent, Toolbox } from '../../../lib/ports/tool.ts'
import { agentCalls } from '../../../lib/tools/builtin/agent-calls.ts'
import { createToolRunner } from '../../../lib/tools/runner.ts'
import { createFakeClock, type FakeClock } from '../../fakes/clock.ts'
import { task } from '../../fakes/coding-agent.ts'
import { compiled } from '../../fakes/compiled.ts'
import { type Answer, openScriptedProvider, PROVIDER_KEY } from '../../fakes/scripted-provider.ts'
import { countSleeping } from '../../fakes/sleeping-processes.ts'
import { until } from '../../fakes/until.ts'
import { createWorkbench, type Workbench } from '../../fakes/workbench.ts'
import type { Act } from '../../fixtures/acp/agent.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const fixture = path.join(root, 'test/fixtures/acp/agent.ts')

let bench: Workbench
let sandboxed: Workbench
beforeAll(async () => {
  bench = await createWorkbench()
  sandboxed = await createWorkbench({ sandboxed: true })
})
afterAll(async () => {
  await bench[Symbol.asyncDispose]()
  await sandboxed[Symbol.asyncDispose]()
})

type Options = {
  start?: string
  program?: Partial<AcpProgram>
  mode?: SecurityMode
  clock?: Clock
  signal?: AbortSignal
  on?: Workbench
  needs?: {
    missingSettings?: () => readonly string[]
    openPermissions?: () => Toolbox
    brokered?: () => Promise<Brokered>
  }
  costLimitUsd?: number
}

/** Permissions that nobody answers. */
const undecided: Toolbox = {
  specs: [],
  title: ({ name }) => name,
  call: async () => ({
    content: '',
    failed: true,
    decision: 'pending',
    durationMs: 0,
    approvalId: 'approval_1',
  }),
  ask: async () => undefined,
  isDecided: async () => false,
}

let runs = 0
const openAgent = ({ start = 'normal', program, mode = 'full', clock, on = bench, needs }: Options) => {
  const time = clock ?? on.clock
  const described: AcpProgram = {
    type: 'scripted',
    name: 'Scripted',
    command: process.execPath,
    args: [fixture, start],
    env: compiled,
    providers: [],
    ...program,
  }
  return createAcpAgent(described, {
    ...on,
    search: searchProgram(described.command, { PATH: '', privateFolders: [] }),
    clock: time,
    openPermissions: createToolRunner({ tools: agentCalls, clock: time }),
    repositories: createRepositories({ clock: time, allow: [], roots: [] }),
    isLocalAdmin: () => true,
    securityMode: () => mode,
    ...needs,
  })
}

const open = (script: readonly Act[], options: Options = {}, given: Partial<AgentContext> = {}) => {
  runs += 1
  const observed: LoopEvent[] = []
  const progress: string[] = []
  const costs: Cost[] = []
  const agent = openAgent(options)
  const context: AgentContext = {
    signal: options.signal ?? new AbortController().signal,
    attempt: 1,
    workspace: `acp_${runs}-1`,
    progress: (line) => void progress.push(line),
    keepSecret: () => undefined,
    observe: (event) => void observed.push(event),
    waitFor: (_call, work) => work(),
    spent: (cost) => void costs.push(cost),
    ...(options.costLimitUsd && { costLimitUsd: options.costLimitUsd }),
    run: () => Promise.reject(new Error('not here')),
    ...given,
  }
  const about = { id: given.workspace ?? `acp_${runs}`, title: 'Script', prompt: JSON.stringify(script) }
  const result = agent.execute(task(about), context) as Promise<AgentResult>
  result.catch(() => undefined)
  return { result, observed, progress, costs }
}

const updateLine = (update: object, sessionId = 'session_1') =>
  JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } })
/** A line in which the agent says something. */
const chunk = (text: string, sessionId?: string) =>
  updateLine({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }, sessionId)

const permissionRequest = {
  jsonrpc: '2.0',
  id: 7,
  method: 'session/request_permission',
  params: { sessionId: 'session_1', toolCall: { toolCallId: 'one' }, options: [] },
}

const texts = (events: readonly LoopEvent[]): string =>
  events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('')

const write = (more: Partial<Act> = {}): Act => ({ act: 'write', path: 'a.txt', text: 'new\n', ...more })

describe('a turn of an agent over ACP', () => {
  it('ends with its last message, its changes and its cost, and is followed by events', async () => {
    const { result, observed } = open([
      { act: 'think', text: 'First I look.' },
      { act: 'say', text: 'I will write.' },
      write(),
      { act: 'cost', usd: 0.25 },
      { act: 'say', text: 'Done: ' },
      { act: 'say', text: 'a.txt.' },
    ])
    expect(await result).toMatchObject({
      success: true,
      output: 'Done: a.txt.',
      steps: 2,
      toolCalls: 1,
      filesChanged: [{ path: 'a.txt', status: 'added', additions: 1 }],
      diff: expect.stringContaining('+new'),
      cost: { usd: 0.25, source: 'provider' },
      agentSession: 'session_1',
    })
    expect(observed.map(({ type, step }) => `${step} ${type}`)).toEqual([
      '1 step:start',
      '1 reasoning',
      '1 text',
      '1 tool:call',
      '1 tool:result',
      '1 step:complete',
      '2 step:start',
      '2 text',
      '2 text',
      '2 step:complete',
    ])
  })

  it('is given its servers of tools', async () => {
    const files = { name: 'files', command: '/opt/files', args: ['--stdio'], env: { LEVEL: '1' } }
    const { result } = open([{ act: 'servers' }], { program: { mcpServers: [files] } })
    expect(JSON.parse(String((await result).output))).toEqual([
      { ...files, env: [{ name: 'LEVEL', value: '1' }] },
    ])
  })

  it('shows its plan as thoughts, once for each change', async () => {
    const plan = (status: string) =>
      updateLine({ sessionUpdate: 'plan', entries: [{ content: 'Test', status, priority: 'high' }] })
    const lines = [plan('pending'), plan('in_progress'), plan('in_progress'), plan('completed')]
    const { result, observed } = open(lines.map((line) => ({ act: 'raw', text: `${line}\n` })))
    await result
    const thoughts = observed.flatMap((event) => (event.type === 'reasoning' ? [event.text.trim()] : []))
    expect(thoughts).toEqual(['- [ ] Test', '- [>] Test', '- [x] Test'])
  })

  it('shows a call once its input is there', async () => {
    const call = { sessionUpdate: 'tool_call_update', toolCallId: 'one' }
    const lines = [
      {
        ...call,
        sessionUpdate: 'tool_call',
        title: 'Terminal',
        kind: 'execute',
        status: 'pending',
        rawInput: {},
      },
      { ...call, title: 'npm test', rawInput: { command: 'npm test' } },
      { ...call, status: 'completed', rawOutput: 'passed' },
    ]
    const { result, observed } = open(lines.map((line) => ({ act: 'raw', text: `${updateLine(line)}\n` })))
    await result
    expect(observed.filter(({ type }) => type.startsWith('tool'))).toMatchObject([
      { type: 'tool:call', title: 'npm test', call: { name: 'execute', arguments: { command: 'npm test' } } },
      { type: 'tool:result', title: 'npm test', outcome: { content: 'passed' } },
    ])
  })

  it.each<[string, Options, Partial<Act>, string[] | undefined]>([
    ['mode full', { mode: 'full' }, {}, undefined],
    ['a subagent in mode full', { mode: 'full' }, { session: 'session_of_a_subagent' }, undefined],
    ['mode ask, without a person', { mode: 'ask' }, {}, ['agent_edit Write a.txt']],
    ['one that offers nothing', {}, { offers: [] }, ['agent_edit Write a.txt']],
    ['a file with credentials', {}, { path: '.env' }, ['agent_edit Write .env']],
  ])('answers a permission by mode and guards: %s', async (_title, options, act, denied) => {
    const {
      success,
      denied: found,
      filesChanged,
      output,
    } = await open([write({ ask: true, ...act })], options).result
    expect(success).toBe(true)
    expect(found).toEqual(denied)
    expect(filesChanged).toHaveLength(denied === undefined ? 1 : 0)
    const answer = act.offers ? 'cancelled' : 'no'
    expect(output).toBe(denied === undefined ? '' : `answered: ${answer}`)
  })

  it('decides about a call by what was told of it before, where its permission names it alone', async () => {
    const told = { sessionUpdate: 'tool_call', toolCallId: 'one', title: 'Edit files', kind: 'edit' }
    const content = [{ type: 'diff', path: '.env', oldText: null, newText: 'KEY=1' }]
    const { denied } = await open(
      [
        { act: 'raw', text: `${updateLine({ ...told, content })}\n` },
        { act: 'askById', text: 'one' },
      ],
      { mode: 'full' },
    ).result
    expect(denied).toEqual(['agent_edit Edit files'])
  })

  it.each<[string, Options, Act[], object]>([
    [
      'a program that is missing',
      { program: { command: '/none/agent' } },
      [],
      { code: 'agent_not_configured', retryable: false },
    ],
    [
      'one that ends at the start',
      { program: { args: ['--eval', 'process.exit(3)'] } },
      [],
      { code: 'agent_exited' },
    ],
    [
      'one that ends in its turn',
      {},
      [{ act: 'exit', code: 7 }],
      { code: 'agent_exited', message: 'The agent ended with exit code 7: the script says so' },
    ],
    ['one that ends in its turn with 0', {}, [{ act: 'exit', code: 0 }], { code: 'agent_exited' }],
    ['no credential', { start: 'signed-out' }, [], { code: 'agent_not_signed_in', retryable: false }],
    ['an older version of ACP', { start: 'old' }, [], { code: 'agent_protocol', retryable: false }],
    ['a newer version of ACP', { start: 'new' }, [], { code: 'agent_protocol', retryable: false }],
    [
      'an id of a session that is too long',
      { start: 'long-session' },
      [],
      { code: 'agent_protocol', retryable: false },
    ],
    [
      'one that has lost the mode in which it asks',
      { program: { mode: 'gone' } },
      [],
      {
        code: 'agent_protocol',
        message: 'The agent does not support its mode gone, which asks for approval',
        retryable: false,
      },
    ],
    [
      'a server of tools that it cannot use',
      { program: { mcpServers: [{ name: 'docs', url: 'https://docs.example/mcp' }] } },
      [],
      { code: 'agent_protocol', message: expect.stringContaining('docs'), retryable: false },
    ],
    [
      'an error for its prompt',
      {},
      [{ act: 'fail', text: 'No more disk at /srv/me/disk' }],
      { code: 'agent_error', message: expect.stringContaining('No more disk at …/disk') },
    ],
    [
      'requests without end, all with one id',
      { needs: { openPermissions: () => undecided } },
      [
        { act: 'raw', text: `${JSON.stringify(permissionRequest)}\n`, times: 1_000 },
        { act: 'wait', ms: 60_000 },
      ],
      { code: 'agent_protocol', message: expect.stringContaining('too many requests at once') },
    ],
    [
      'a line of 50 MB',
      {},
      [
        { act: 'raw', text: 'x'.repeat(1_000), times: 50_000 },
        { act: 'wait', ms: 60_000 },
      ],
      { code: 'agent_protocol' },
    ],
  ])('fails with what an operator can act on: %s', async (_title, options, script, failure) => {
    await expect(open(script, options).result).rejects.toMatchObject(failure)
  })

  it.each([
    ['what is no JSON', 'no json\n'],
    [
      'an unknown update',
      '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"session_1","update":{"sessionUpdate":"later"}}}\n',
    ],
    ['an unknown notification', '{"jsonrpc":"2.0","method":"_other/thing","params":{}}\n'],
    ['an update of nothing', '{"jsonrpc":"2.0","method":"session/update","params":7}\n'],
    ['an answer to nothing', '{"jsonrpc":"2.0","id":"\\u001b[2J","result":{}}\n'],
    ['an update of another session', `${chunk('Not mine.', 'session_of_another')}\n`],
  ])('goes on after %s, and writes nothing of it to the log', async (_title, text) => {
    const written = jest.spyOn(console, 'error').mockImplementation(() => undefined)
    const { result } = open([
      { act: 'raw', text },
      { act: 'say', text: 'Still here.' },
    ])
    expect(await result).toMatchObject({ success: true, output: 'Still here.' })
    expect(written).not.toHaveBeenCalled()
    written.mockRestore()
  })

  it.each(['fs/read_text_file', 'fs/write_text_file', 'terminal/create', '_own/method'])(
    'refuses what it does not offer: %s',
    async (method) => {
      const { result } = open([{ act: 'request', text: method }])
      expect(await result).toMatchObject({ output: `${method}: -32601 ` })
    },
  )

  it('keeps characters that come in two parts, and leaves out what comes after the end of the turn', async () => {
    const [before = '', after = ''] = chunk('|').split('|')
    const { result, observed } = open(
      [
        { act: 'raw', text: before },
        { act: 'raw', bytes: [0xf0, 0x9f] },
        { act: 'wait', ms: 50 },
        { act: 'raw', bytes: [0x98, 0x80] },
        { act: 'raw', text: `${after}\n` },
        { act: 'later', text: 'Too late.' },
      ],
      { start: 'stays', clock: createFakeClock() },
    )
    await until(() => texts(observed) !== '')
    await sleep(200)
    expect(texts(observed)).toBe('😀')
    void result
  })

  it('keeps an id of a session as it is, which is no path', async () => {
    const { result } = open([{ act: 'say', text: 'Here.' }], { start: 'paths' })
    expect(await result).toMatchObject({ output: 'Here.', agentSession: '../../../../tmp/session' })
  })

  it('bounds what a run keeps and shows of a flood', async () => {
    const line = `${chunk('x'.repeat(1_000_000))}\n`
    const { result, observed } = open([
      { act: 'raw', text: line, times: 60 },
      { act: 'say', text: 'The end.' },
    ])
    const { output } = await result
    expect([output.length, output.slice(-8)]).toEqual([100_000, 'The end.'])
    expect(texts(observed).length).toBeLessThan(51_000_000)
    expect(texts(observed).split('is not shown: this run sent too much')).toHaveLength(2)
  })

  it('ends one whose calls are refused again and again', async () => {
    const denied: string[] = []
    const toolbox = {
      ...undecided,
      call: async () => ({ content: '', failed: true, decision: 'denied' as const, durationMs: 0 }),
    }
    const decide = createDecide({
      undecided: new Map(),
      toolbox,
      clock: createFakeClock(),
      denied,
      waitFor: (_, work) => work(),
    })
    const ask = () => decide(permissionRequest.params, new AbortController().signal)
    for (let count = 1; count < 1_000; count++) await ask()
    await expect(ask()).rejects.toMatchObject({ code: 'agent_limit', retryable: false })
  })

  it.each<[string, string, boolean]>([
    ['without its interpreter', '#!/none/interpreter\n', false],
    ['without its interpreter, in a sandbox', '#!/none/interpreter\n', true],
    ['that is no program, in a sandbox', '\u0000\u0001', true],
  ])('tells of a program %s that it cannot be started', async (_title, content, isSandboxed) => {
    const on = isSandboxed ? sandboxed : bench
    const command = path.join(on.folder, 'broken')
    writeFileSync(command, content)
    chmodSync(command, 0o755)
    const { result } = open([], { program: { command, args: [] }, on })
    await expect(result).rejects.toMatchObject({ code: 'agent_missing', retryable: false })
  })

  it.each<['max_tokens' | 'refusal', string]>([
    ['max_tokens', 'token limit'],
    ['refusal', 'refused'],
  ])('fails after %s, with what was said', async (reason, message) => {
    const result = await open([
      { act: 'say', text: 'So far.' },
      { act: 'stop', reason },
    ]).result
    expect(result).toMatchObject({ success: false, retryable: false })
    expect(result.output).toContain(message)
    expect(result.output).toContain('So far.')
  })

  it.each<[string, Act[]]>([
    ['told to cancel', [{ act: 'wait', ms: 60_000 }]],
    ['with a permission open', [write({ ask: true, kind: 'execute' })]],
    ['deaf to it', [{ act: 'ignoreCancel' }, { act: 'wait', ms: 60_000 }]],
  ])('stops, and leaves no process: %s', async (_title, script) => {
    const stop = new AbortController()
    const mark = `${600 + runs}.25`
    const leave: Act = { act: 'leave', text: `sleep ${mark}` }
    const needs = { openPermissions: () => undecided }
    const options = { signal: stop.signal, on: sandboxed, program: { reads: [root] }, needs }
    const { result } = open([leave, ...script], options)
    await until(() => countSleeping(mark) > 0)
    stop.abort(new Error('cancelled'))
    await expect(result).rejects.toThrow('cancelled')
    // The system ends the processes of a sandbox after it.
    await until(() => countSleeping(mark) === 0)
  })

  it('ends what left its group after a turn that is done', async () => {
    const mark = `${600 + runs}.75`
    const script: Act[] = [
      { act: 'leave', text: `sleep ${mark}` },
      { act: 'say', text: 'Done.' },
    ]
    expect(await open(script, { on: sandboxed, program: { reads: [root] } }).result).toMatchObject({
      success: true,
    })
    await until(() => countSleeping(mark) === 0)
  })

  it('answers what is asked before and in the moment of a cancel with `cancelled`', async () => {
    const stop = new AbortController()
    const options = { signal: stop.signal, needs: { openPermissions: () => undecided } }
    const { result, observed } = open([{ act: 'say', text: 'Begun.' }, { act: 'askAtCancel' }], options, {
      workspace: 'at-cancel',
    })
    await until(() => observed.length > 0)
    stop.abort(new Error('cancelled'))
    await expect(result).rejects.toThrow('cancelled')
    const answers = path.join(bench.dir, 'at-cancel/work/answers')
    expect(readFileSync(answers, 'utf8')).toBe('cancelled cancelled')
  })

  it('fails, with its changes, where it ends its turn before a person has decided about a call', async () => {
    const script = [write(), write({ path: 'b.txt', ask: true, unawaited: true })]
    const { result } = open(script, { needs: { openPermissions: () => undecided } })
    expect(await result).toMatchObject({
      success: false,
      retryable: false,
      filesChanged: [{ path: 'a.txt' }],
      output: 'The agent ended its turn before these calls were decided: agent_edit',
    })
  })

  it.each<[string, string, Act[], number, string]>([
    ['no handshake', 'silent-start', [], 60_000, 'agent_start_timeout'],
    ['no sign of life', 'normal', [{ act: 'wait', ms: 3_600_000 }], 600_000, 'agent_silent'],
  ])('ends one that gives %s', async (_title, start, script, ms, code) => {
    const clock = createFakeClock()
    const { result, observed, progress } = open([{ act: 'say', text: 'Begun.' }, ...script], { start, clock })
    await until(() =>
      script.length > 0 ? observed.length > 0 : progress.some((line) => line.startsWith('Starting')),
    )
    await until(() => clock.pending > 0)
    clock.advance(ms)
    await untilOver(result, clock)
    await expect(result).rejects.toMatchObject({ code })
  })

  it('ends one that stays after its answer', async () => {
    const clock = createFakeClock()
    const { result, observed } = open([{ act: 'say', text: 'Done.' }], { start: 'stays', clock })
    await until(() => observed.length > 0)
    await untilOver(result, clock)
    expect(await result).toMatchObject({ success: true, output: 'Done.' })
  })
})

/** A provider that answers each call with a million tokens, which cost 3 dollars each. */
const openModels = (model = 'claude-x') =>
  openScriptedProvider(
    (_, response) => {
      const body = JSON.stringify({ model, usage: { input_tokens: 1_000_000, output_tokens: 0 } })
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    },
    { price },
  )

/** Prices that do not change with the data of a package. */
const price: Brokered['price'] = ({ model, usage }) =>
  model.startsWith('claude') ? (usage.input * 3) / 1e6 : null

describe('the cost of a run over ACP', () => {
  const call: Act = { act: 'model' }

  it.each<[string, string, Act[], object]>([
    ['the prices of its calls', 'claude-x', [call, call], { usd: 6, source: 'price' }],
    [
      'what the program states',
      'claude-x',
      [call, { act: 'cost', usd: 3.5 }],
      { usd: 3.5, source: 'provider' },
    ],
    [
      'the prices where the program states less',
      'claude-x',
      [call, { act: 'cost', usd: 0.5 }],
      { usd: 3, source: 'price' },
    ],
    [
      'the prices where the program states 0',
      'claude-x',
      [call, { act: 'cost', usd: 0 }],
      { usd: 3, source: 'price' },
    ],
    ['unknown for a model without a price', 'own-model', [call], { usd: null, source: 'unknown' }],
    ['unknown where nothing is said', 'claude-x', [], { usd: null, source: 'unknown' }],
  ])('is %s', async (_title, model, script, cost) => {
    await using models = await openModels(model)
    const { result, costs } = open(script, { needs: { brokered: models.brokered } })
    expect(await result).toMatchObject({ success: true, cost })
    expect(costs.at(-1)).toEqual(script.length > 0 ? cost : undefined)
  })

  it('of a model without a price is no part of its limit, which is said', async () => {
    await using models = await openModels('own-model')
    const { result, progress } = open([call, call], {
      costLimitUsd: 1,
      needs: { brokered: models.brokered },
    })
    expect(await result).toMatchObject({ success: true })
    expect(progress.filter((text) => text.includes('own-model has no known price'))).toHaveLength(1)
  })

  it.each<[string, Answer, string, object]>([
    [
      'a stream that is cut',
      (_, response) => {
        const first =
          'data: {"type":"message_start","message":{"model":"claude-x","usage":{"input_tokens":1000000}}}\n\n'
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(first)
        setImmediate(() => response.destroy())
      },
      'nothing',
      { usd: 3, source: 'unknown' },
    ],
    [
      'an answer without usage',
      (_, response) => void response.end('{"model":"claude-x"}'),
      'answered 200',
      { usd: null, source: 'unknown' },
    ],
    [
      'a compressed answer',
      (_, response) => {
        const body = JSON.stringify({ model: 'claude-x', usage: { input_tokens: 1_000_000 } })
        response.writeHead(200, { 'content-encoding': 'br' }).end(brotliCompressSync(body))
      },
      'answered 200',
      { usd: 3, source: 'price' },
    ],
  ])('is known as far as it was read: %s', async (_title, answer, said, cost) => {
    await using models = await openScriptedProvider(answer, { price })
    const { result, costs, observed } = open([call], { needs: { brokered: models.brokered } })
    await result.catch(() => undefined)
    expect(texts(observed)).toContain(said)
    expect(costs.at(-1)).toEqual(cost)
  })

  it('is that of the calls of each of two runs at once', async () => {
    await using models = await openModels()
    const needs = { brokered: models.brokered }
    const both = [[call], [call, call]].map((script) => open(script, { needs }).result)
    expect((await Promise.all(both)).map(({ cost }) => cost)).toEqual([
      { usd: 3, source: 'price' },
      { usd: 6, source: 'price' },
    ])
  })

  it.each([-5, Number.POSITIVE_INFINITY, 0])('is not what the program states of %p dollars', async (usd) => {
    await using models = await openModels()
    const { result } = open([call, { act: 'cost', usd }], { needs: { brokered: models.brokered } })
    expect(await result).toMatchObject({ cost: { usd: 3, source: 'price' } })
  })

  it('is told for a run that fails', async () => {
    await using models = await openModels()
    const { result, costs } = open([call, { act: 'exit', code: 1 }], { needs: { brokered: models.brokered } })
    await expect(result).rejects.toMatchObject({ code: 'agent_exited' })
    expect(costs.at(-1)).toEqual({ usd: 3, source: 'price' })
  })

  it('stops it at its limit: the next call is refused, and the run fails, whatever the program makes of it', async () => {
    await using models = await openModels()
    const options = { needs: { brokered: models.brokered }, costLimitUsd: 5 }
    const { result, observed, costs } = open([call, call, call, { act: 'say', text: 'All done.' }], options)
    await expect(result).rejects.toMatchObject({ code: 'cost_limit_reached', retryable: false })
    const said = observed.flatMap((event) => (event.type === 'text' ? [event.text] : []))
    expect(said.map((text) => /answered (\d+)/.exec(text)?.[1] ?? text)).toEqual([
      '200',
      '200',
      '402',
      'All done.',
    ])
    expect(costs.at(-1)).toEqual({ usd: 6, source: 'price' })
  })

  it('ends a program that does not end at its limit', async () => {
    await using models = await openModels()
    const clock = createFakeClock()
    const needs = { brokered: models.brokered }
    const script: Act[] = [call, call, { act: 'ignoreCancel' }, { act: 'wait', ms: 3_600_000 }]
    const { result, observed } = open(script, { needs, clock, costLimitUsd: 1 })
    await until(() => observed.filter(({ type }) => type === 'text').length === 2)
    await untilOver(result, clock)
    await expect(result).rejects.toMatchObject({ code: 'cost_limit_reached' })
  })

  it('ends a program that goes on over the limit by its own account', async () => {
    const clock = createFakeClock()
    const script: Act[] = [
      { act: 'cost', usd: 2 },
      { act: 'say', text: 'More.' },
      { act: 'wait', ms: 3_600_000 },
    ]
    const { result, observed } = open(script, { clock, costLimitUsd: 1 })
    await until(() => observed.some(({ type }) => type === 'text'))
    await untilOver(result, clock)
    await expect(result).rejects.toMatchObject({ code: 'cost_limit_reached' })
  })
})

describe('a run over ACP that fails', () => {
  const call: Act = { act: 'model' }
  const wait: Act = { act: 'wait', ms: 3_600_000 }
  const refused: Answer = (_, response) =>
    void response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"no"}}')
  const timeout = Object.assign(new Error('late'), { code: 'timeout' })

  it.each<[string, string, Act[], { answer?: Answer; costLimitUsd?: number; stop?: Error }]>([
    ['exits', 'agent_exited', [{ act: 'exit', code: 1 }], {}],
    ['is at its cost limit', 'cost_limit_reached', [call, call], { costLimitUsd: 1 }],
    ['has no provider', 'provider_error', [call], { answer: refused }],
    ['fails its turn', 'agent_error', [{ act: 'fail', text: 'no luck' }], {}],
    ['has no time left', 'timeout', [wait], { stop: timeout }],
  ])(
    'leaves its changes, its words, its session and what a reply needs where it %s',
    async (_how, code, acts, more) => {
      await using models = more.answer ? await openScriptedProvider(more.answer) : await openModels()
      const stop = new AbortController()
      const options = {
        ...{ needs: { brokered: models.brokered }, signal: stop.signal },
        ...(more.costLimitUsd && { costLimitUsd: more.costLimitUsd }),
      }
      const { result, observed } = open([write(), { act: 'say', text: 'Half.' }, ...acts], options)
      await until(() => texts(observed).includes('Half.'))
      if (more.stop) stop.abort(more.stop)
      await expect(result).rejects.toMatchObject({
        code,
        result: {
          ...{ success: false, output: expect.stringContaining('Half.'), agentSession: 'session_1' },
          ...{ diff: expect.stringContaining('+new'), filesChanged: [{ path: 'a.txt' }], toolCalls: 1 },
          ...(acts.includes(call) && !more.answer ? { cost: { usd: 3, source: 'price' } } : {}),
        },
        continuation: { files: { patch: expect.stringContaining('+new') } },
      })
    },
  )

  it('leaves nothing where it was cancelled', async () => {
    const stop = new AbortController()
    const { result, observed } = open([write(), wait], { signal: stop.signal })
    await until(() => observed.some(({ type }) => type === 'tool:result'))
    stop.abort(Object.assign(new Error('stopped'), { code: 'cancelled' }))
    const thrown = await result.catch((failure: unknown) => failure)
    expect(thrown).toMatchObject({ code: 'cancelled' })
    expect(thrown).not.toHaveProperty('result')
  })
})

describe('a run over ACP whose last call of a model failed', () => {
  const refusal = (status: number, message: string, headers: Record<string, string> = {}): Answer => {
    const body = JSON.stringify({ type: 'error', error: { type: 'error', message } })
    return (_, response) =>
      void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  }
  const inAnHour = { 'anthropic-ratelimit-unified-reset': String(3_600) }

  it.each<[string, Answer, object]>([
    [
      '401',
      refusal(401, `invalid x-api-key ${PROVIDER_KEY}`),
      {
        code: 'provider_error',
        retryable: false,
        message: expect.stringMatching(/rejected the API key \(HTTP 401\): invalid x-api-key \[masked]$/),
      },
    ],
    [
      '429 with a reset',
      refusal(429, 'All used up', inAnHour),
      { code: 'rate_limited', retryable: true, refused: true, retryAfterMs: 3_600_000 },
    ],
    [
      '429 for seconds',
      refusal(429, 'Slow down', { 'retry-after': '20' }),
      { code: 'rate_limited', retryable: true, retryAfterMs: 20_000 },
    ],
    [
      '529',
      refusal(529, 'Overloaded', { 'retry-after': '30' }),
      { code: 'provider_error', retryable: true, retryAfterMs: 30_000 },
    ],
    [
      'a redirect to another host',
      refusal(307, 'Elsewhere', { location: 'http://127.0.0.1:9/v1/messages' }),
      {
        code: 'provider_error',
        retryable: true,
        message: expect.stringContaining('responded with a redirect (HTTP 307)'),
      },
    ],
    [
      'a connection that breaks',
      (incoming) => void incoming.socket.destroy(),
      { code: 'provider_error', retryable: true, message: expect.stringContaining('could not be reached') },
    ],
    [
      'an answer that is cut off',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n')
        setImmediate(() => response.destroy())
      },
      {
        code: 'provider_error',
        retryable: true,
        message: expect.stringContaining('the connection was lost'),
      },
    ],
  ])('fails as the provider did, and shows the program no key: %s', async (_title, answer, failure) => {
    await using models = await openScriptedProvider(answer, { now: () => 0 })
    const script: Act[] = [{ act: 'model' }, { act: 'say', text: 'All done.' }]
    const { result, observed } = open(script, { needs: { brokered: models.brokered } })
    await expect(result).rejects.toMatchObject(failure)
    expect(texts(observed)).toContain('All done.')
    expect(JSON.stringify(observed)).not.toContain(PROVIDER_KEY)
  })

  /** Answers the first calls, and fails the others. */
  const answersOnly = (most: number): Answer => {
    let calls = 0
    return (incoming, response) => {
      calls += 1
      if (calls > most) return refusal(500, 'Broken')(incoming, response)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"model":"claude-x"}')
    }
  }
  const call: Act = { act: 'model' }
  const done: Act = { act: 'say', text: 'All done.' }

  it.each<[string, Act[], object]>([
    [
      'has ended well where its program says so',
      [call, write(), done, call],
      { success: true, filesChanged: [{ path: 'a.txt' }] },
    ],
    [
      'fails as the provider did where its program stopped',
      [call, call, { act: 'stop', reason: 'refusal' }],
      { code: 'provider_error' },
    ],
    [
      'fails as the provider did where its program died',
      [call, call, { act: 'exit', code: 1 }],
      { code: 'provider_error' },
    ],
    [
      'fails as the provider did where its program writes so as its answer',
      [call, write(), call, done],
      { code: 'provider_error' },
    ],
    [
      'fails as the provider did where its program stopped after a call',
      [call, done, write(), call],
      { code: 'provider_error' },
    ],
  ])('after others that were answered, %s', async (_how, script, expected) => {
    await using models = await openScriptedProvider(answersOnly(1), { now: () => 0 })
    const { result } = open(script, { needs: { brokered: models.brokered } })
    expect(await result.catch((failure: unknown) => failure)).toMatchObject(expected)
  })
})

describe('a later attempt of an agent over ACP', () => {
  let attempts = 0
  const RECITE: Act[] = [{ act: 'recite' }]

  /** An attempt that is stopped once it has done its act. */
  const interrupted = async (workspace: string, act = write()) => {
    const stop = new AbortController()
    const { result, observed } = open(
      [act, { act: 'wait', ms: 60_000 }],
      { signal: stop.signal },
      { workspace },
    )
    await until(() => observed.some(({ type }) => type === 'tool:result' || type === 'text'))
    stop.abort(new Error('lost'))
    await expect(result).rejects.toThrow('lost')
  }

  it.each<[string, string, Act, object[]]>([
    ['the files', 'resumed', write(), [{ path: 'a.txt' }]],
    ['the workspace, which is empty,', 'resumed-empty', { act: 'say', text: 'I look.' }, []],
  ])('goes on in the session and %s of the one before', async (_title, workspace, act, filesChanged) => {
    await interrupted(workspace, act)
    const { result, progress } = open(RECITE, {}, { workspace, attempt: 2 })
    expect(await result).toMatchObject({
      agentSession: 'session_1',
      output: expect.stringContaining('[The last attempt at this task was interrupted.'),
      filesChanged,
    })
    expect(progress).toContain('Continuing in the workspace of the last attempt')
  })

  it('asks in it as in a new one', async () => {
    const asks = { mode: 'asks' }
    await interrupted('resumed-mode')
    const { result } = open([{ act: 'mode' }], { program: asks }, { workspace: 'resumed-mode', attempt: 2 })
    expect(await result).toMatchObject({ agentSession: 'session_1', output: 'asks' })
  })

  it.each<[string, string, () => unknown]>([
    ['that cannot resume', 'no-resume', () => undefined],
    ['whose session is gone', 'normal', () => rmSync(path.join(bench.dir, 'anew_2/home/sessions.json'))],
    ['whose home is gone', 'normal', () => rmSync(path.join(bench.dir, 'anew_3/home'), { recursive: true })],
  ])('begins anew, and says so: one %s', async (_title, start, lose) => {
    attempts += 1
    const workspace = `anew_${attempts}`
    await interrupted(workspace)
    lose()
    const { result, progress } = open(RECITE, { start }, { workspace, attempt: 2 })
    const { output, filesChanged } = await result
    expect(output).not.toContain('interrupted')
    expect(filesChanged).toMatchObject([{ path: 'a.txt' }])
    expect(progress).toContain('The agent no longer has its session, so it starts a new one')
  })
})

describe('the health of an agent over ACP', () => {
  it.each<[string, Options, object]>([
    ['its version', {}, { healthy: true, version: '1.2.3' }],
    [
      'what to install',
      { program: { command: '/none/agent', install: 'npm install agent' } },
      {
        healthy: false,
        message: 'Scripted is not installed: its program agent does not exist. Run npm install agent',
      },
    ],
    [
      'what to install and its missing model',
      {
        program: { command: 'no-such-agent', install: 'npm install agent' },
        needs: { missingSettings: () => ['A_KEY'] },
      },
      {
        healthy: false,
        message:
          'Scripted is not installed: no no-such-agent on PATH. Run npm install agent. Scripted has no model. Set A_KEY',
      },
    ],
    [
      'its missing model',
      { needs: { missingSettings: () => ['A_KEY', 'B_KEY'] } },
      { healthy: false, message: 'Scripted has no model. Set A_KEY or B_KEY' },
    ],
    [
      'how it ended',
      {
        program: {
          args: [
            '--eval',
            'console.error("no disk at /srv/me/agent.js in " + process.cwd()); process.exit(3)',
          ],
        },
      },
      { healthy: false, message: 'The agent ended with exit code 3: no disk at …/agent.js in .' },
    ],
    [
      'another version of ACP',
      { start: 'old' },
      { healthy: false, message: expect.stringContaining('version 0') },
    ],
  ])('tells %s', async (_title, options, health) => {
    const agent = openAgent(options)
    expect(await agent.healthCheck()).toMatchObject(health)
    expect(agent.configured?.()).toBe(!('needs' in options || options.program?.command === '/none/agent'))
  })

  it.each<[string, Options, object]>([
    ['nothing', {}, {}],
    ['its program', { program: { command: '/none/agent', install: 'npm i a' } }, { install: 'npm i a' }],
    ['a key', { needs: { missingSettings: () => ['A_KEY'] } }, { missingSettings: ['A_KEY'] }],
    [
      'both',
      {
        program: { command: '/none/agent', install: 'npm i a' },
        needs: { missingSettings: () => ['A_KEY'] },
      },
      { install: 'npm i a', missingSettings: ['A_KEY'] },
    ],
  ])('says apart from its words that it lacks %s', async (_title, options, parts) => {
    const agent = openAgent(options)
    await agent.healthCheck()
    expect(agent.missing?.()).toEqual(parts)
  })

  it('counts for five minutes with the time of its handshake, unless a fresh one is asked for', async () => {
    const clock = createFakeClock()
    const agent = openAgent({ clock })
    const first = await agent.healthCheck()
    expect(first).toMatchObject({ checkedAt: clock.now() })
    clock.advance(300_000)
    expect(await agent.healthCheck()).toEqual(first)
    const fresh = agent.healthCheck({ isFresh: true })
    // A second fresh check joins the handshake of the first one.
    const [joined] = await Promise.all([agent.healthCheck({ isFresh: true }), fresh])
    expect(joined).toEqual(await fresh)
    expect(joined).toMatchObject({ healthy: true, checkedAt: clock.now() })
  })

  it('is told in time while the program starts, and asks it again minutes later', async () => {
    const clock = createFakeClock()
    const agent = openAgent({ start: 'silent-start', clock })
    const early = agent.healthCheck()
    await until(() => clock.pending > 1)
    clock.advance(4_000)
    expect(await early).toMatchObject({ healthy: false, message: expect.stringContaining('Check again') })
    clock.advance(60_000)
    expect(await agent.healthCheck()).toMatchObject({ message: expect.stringContaining('within 1 minute') })
  })
})

/** Lets an agent that stays use up its time to end. */
const untilOver = async (result: Promise<unknown>, clock: FakeClock) => {
  let over = false
  const end = () => {
    over = true
  }
  result.then(end, end)
  while (!over) {
    await sleep(20)
    clock.advance(1_000)
  }
}
