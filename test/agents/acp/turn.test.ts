import { readFileSync } from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createDecide } from '../../../lib/adapters/agents/acp/permissions.ts'
import { createFakeClock } from '../../fakes/clock.ts'
import { type Answer, openScriptedProvider, PROVIDER_KEY } from '../../fakes/scripted-provider.ts'
import { until } from '../../fakes/until.ts'
import type { Act } from '../../fixtures/acp/agent.ts'
import {
  type AcpRuns,
  openAcpRuns,
  openModels,
  permissionRequest,
  type RunOptions,
  texts,
  undecided,
  updateLine,
  write,
} from './acp-runs.ts'

let acp: AcpRuns
const open: AcpRuns['open'] = (...given) => acp.open(...given)
beforeAll(async () => {
  acp = await openAcpRuns()
})
afterAll(() => acp[Symbol.asyncDispose]())

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

  it.each<[string, RunOptions, Partial<Act>, string[] | undefined]>([
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

  it.each<[string, RunOptions, Act[], object]>([
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
      'an error for its prompt',
      {},
      [{ act: 'fail', text: 'No more disk at /srv/me/disk' }],
      { code: 'agent_error', message: expect.stringContaining('No more disk at …/disk') },
    ],
  ])('fails with what an operator can act on: %s', async (_title, options, script, failure) => {
    await expect(open(script, options).result).rejects.toMatchObject(failure)
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
      deniedIds: new Set(),
      waitFor: (_, work) => work(),
    })
    const ask = () => decide(permissionRequest.params, new AbortController().signal)
    for (let count = 1; count < 1_000; count++) await ask()
    await expect(ask()).rejects.toMatchObject({ code: 'agent_limit', retryable: false })
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

  it('stops when it is cancelled, and leaves no process', () => acp.expectStop([{ act: 'wait', ms: 60_000 }]))

  it('answers what is asked before and in the moment of a cancel with `cancelled`', async () => {
    const stop = new AbortController()
    const options = { signal: stop.signal, needs: { openPermissions: () => undecided } }
    const { result, observed } = open([{ act: 'say', text: 'Begun.' }, { act: 'askAtCancel' }], options, {
      workspace: 'at-cancel',
    })
    await until(() => observed.length > 0)
    stop.abort(new Error('cancelled'))
    await expect(result).rejects.toThrow('cancelled')
    const answers = path.join(acp.bench.dir, 'at-cancel/work/answers')
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
})

describe('the cost of a run over ACP', () => {
  const call: Act = { act: 'model' }

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
})

describe('a run over ACP that fails', () => {
  const call: Act = { act: 'model' }
  const wait: Act = { act: 'wait', ms: 3_600_000 }
  const refused: Answer = (_, response) =>
    void response
      .writeHead(401, { 'content-type': 'application/json' })
      .end(`{"error":{"message":"no ${PROVIDER_KEY}"}}`)
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
      expect(JSON.stringify(observed)).not.toContain(PROVIDER_KEY)
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

describe('a later attempt of an agent over ACP', () => {
  const RECITE: Act[] = [{ act: 'recite' }]

  it.each<[string, string, Act, object[]]>([
    ['the files', 'resumed', write(), [{ path: 'a.txt' }]],
    ['the workspace, which is empty,', 'resumed-empty', { act: 'say', text: 'I look.' }, []],
  ])('goes on in the session and %s of the one before', async (_title, workspace, act, filesChanged) => {
    await acp.interrupted(workspace, act)
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
    await acp.interrupted('resumed-mode')
    const { result } = open([{ act: 'mode' }], { program: asks }, { workspace: 'resumed-mode', attempt: 2 })
    expect(await result).toMatchObject({ agentSession: 'session_1', output: 'asks' })
  })
})

describe('the health of an agent over ACP', () => {
  it.each<[string, RunOptions, object]>([
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
    const agent = acp.openAgent(options)
    expect(await agent.healthCheck()).toMatchObject(health)
    expect(agent.configured?.()).toBe(!('needs' in options || options.program?.command === '/none/agent'))
  })

  it.each<[string, RunOptions, object]>([
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
    const agent = acp.openAgent(options)
    await agent.healthCheck()
    expect(agent.missing?.()).toEqual(parts)
  })

  it('counts for five minutes with the time of its handshake, unless a fresh one is asked for', async () => {
    const clock = createFakeClock()
    const agent = acp.openAgent({ clock })
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
    const agent = acp.openAgent({ start: 'silent-start', clock })
    const early = agent.healthCheck()
    await until(() => clock.pending > 1)
    clock.advance(4_000)
    expect(await early).toMatchObject({ healthy: false, message: expect.stringContaining('Check again') })
    clock.advance(60_000)
    expect(await agent.healthCheck()).toMatchObject({ message: expect.stringContaining('within 1 minute') })
  })
})
