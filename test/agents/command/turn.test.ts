import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { commandPrograms } from '../../../lib/adapters/agents/command/catalog.ts'
import type { LoopEvent } from '../../../lib/ports/tool.ts'
import { countSleeping } from '../../fakes/sleeping-processes.ts'
import { until } from '../../fakes/until.ts'
import type { Act } from '../../fixtures/command/agent.ts'
import {
  type CommandRuns,
  fixture,
  openCommandRuns,
  PROJECT,
  parse,
  print,
  type RunOptions,
  recorded,
  wrote,
} from './command-runs.ts'

let commands: CommandRuns
const open: CommandRuns['open'] = (...given) => commands.open(...given)
beforeAll(async () => {
  commands = await openCommandRuns()
})
afterAll(() => commands[Symbol.asyncDispose]())

/** A call, its title and how it ended; a text; in the order of the events. */
const told = (events: readonly LoopEvent[]): string[] =>
  events.flatMap((event) => {
    if (event.type === 'text') return [`${event.step} ${event.text}`]
    if (event.type === 'tool:call') return [`${event.step} ${event.call.name}: ${event.title}`]
    if (event.type === 'tool:result')
      return [`${event.step} ${event.outcome.failed ? 'failed' : 'done'}: ${event.title}`]
    return []
  })

describe('a run of a command that fails', () => {
  const session = '{"type":"system","subtype":"init","session_id":"s-1"}\n'
  const timeout = Object.assign(new Error('late'), { code: 'timeout' })

  it.each<[string, string, Act[], RunOptions, object]>([
    [
      'dies with an exit code',
      'agent_exited',
      [{ act: 'exit', code: 3 }],
      parse('text'),
      { output: 'Half.' },
    ],
    [
      'dies in its session',
      'agent_exited',
      [print(session), { act: 'exit', code: 3 }],
      parse('claude'),
      { agentSession: 's-1' },
    ],
    ['has no time left', 'timeout', [{ act: 'wait', ms: 3_600_000 }], parse('text'), { output: 'Half.' }],
  ])(
    'leaves its changes, its words and what a reply needs where it %s',
    async (_how, code, acts, options, more) => {
      const stop = new AbortController()
      const { result: ended, observed } = open([wrote, print('Half.\n'), ...acts], {
        ...options,
        signal: stop.signal,
      })
      if (code === 'timeout') {
        await until(() => observed.length > 0)
        stop.abort(timeout)
      }
      await expect(ended).rejects.toMatchObject({
        code,
        result: {
          success: false,
          filesChanged: [{ path: 'hello.txt' }],
          diff: expect.stringContaining('+hi'),
          ...more,
        },
        continuation: { files: { patch: expect.stringContaining('+hi') } },
      })
    },
  )
})

describe('a turn of a command', () => {
  it.each<[string, RunOptions, Act[], object, string[]]>([
    [
      'text',
      parse('text'),
      [wrote, print('I look.\n'), { act: 'complain', text: 'a warning\n' }, print('I wrote hello.txt.\n')],
      { success: true, output: 'I look.\nI wrote hello.txt.', filesChanged: [{ path: 'hello.txt' }] },
      [],
    ],
    [
      'what claude printed for a file that it wrote',
      parse('claude'),
      [wrote, recorded('claude-allowed')],
      {
        success: true,
        output: 'I wrote hello.txt.',
        steps: 2,
        toolCalls: 1,
        model: 'claude-opus-4-8[1m]',
        usage: { promptTokens: 200, completionTokens: 29, totalTokens: 229 },
        cost: { usd: 0.001725, source: 'provider' },
        agentSession: '8d740af2-c014-462f-80a4-448b0b7bc309',
        filesChanged: [{ path: 'hello.txt', status: 'added', additions: 1 }],
      },
      ['1 Write: Write hello.txt', '1 done: Write hello.txt', '2 I wrote hello.txt.'],
    ],
    [
      'what claude printed for a file that it was not allowed to write, with exit code 0',
      parse('claude'),
      [recorded('claude-denied')],
      { success: true, output: 'I wrote hello.txt.', filesChanged: [], denied: ['Write hello.txt'] },
      ['1 Write: Write hello.txt', '1 failed: Write hello.txt', '2 I wrote hello.txt.'],
    ],
    [
      'what claude printed at its limit of turns',
      parse('claude'),
      [wrote, recorded('claude-turns'), { act: 'exit', code: 1 }],
      {
        success: false,
        retryable: false,
        filesChanged: [{ path: 'hello.txt' }],
        output: expect.stringContaining('step limit before the task was done: Reached maximum number'),
      },
      ['1 Write: Write hello.txt', '1 done: Write hello.txt'],
    ],
    [
      'what claude printed at its budget',
      parse('claude'),
      [recorded('claude-budget'), { act: 'exit', code: 1 }],
      { success: false, retryable: false, cost: { usd: 0.001, source: 'provider' } },
      ['1 Write: Write hello.txt'],
    ],
    [
      'what codex printed for a file that it wrote',
      parse('codex'),
      [wrote, recorded('codex-written')],
      {
        success: true,
        output: 'I wrote hello.txt.',
        steps: 2,
        toolCalls: 1,
        usage: { promptTokens: 240, completionTokens: 60, totalTokens: 300 },
        agentSession: '01a21b2c-9b9e-70d1-8bc8-d1c32ebf743a',
        filesChanged: [{ path: 'hello.txt' }],
      },
      [
        "1 command_execution: /bin/bash -lc 'echo hi > hello.txt'",
        "1 done: /bin/bash -lc 'echo hi > hello.txt'",
        '2 I wrote hello.txt.',
      ],
    ],
    [
      'what codex printed for a key that was refused',
      parse('codex'),
      [recorded('codex-unauthorized'), { act: 'exit', code: 1 }],
      {
        success: false,
        retryable: true,
        output: expect.stringContaining('The agent failed: unexpected status 401 Unauthorized'),
      },
      [],
    ],
    [
      'a command that codex was not allowed to run',
      parse('codex'),
      [
        print(
          `${JSON.stringify({ type: 'item.completed', item: { id: 'item_0', type: 'command_execution', command: 'rm -rf /', aggregated_output: '', exit_code: null, status: 'declined' } })}\n{"type":"turn.completed"}\n`,
        ),
      ],
      { success: true, denied: ['rm -rf /'] },
      ['1 command_execution: rm -rf /', '1 failed: rm -rf /'],
    ],
  ])('is read as it goes: %s', async (_title, options, script, expected, events) => {
    const { result, observed } = open(script, options)
    expect(await result).toMatchObject(expected)
    if (options.program?.parse !== 'text') expect(told(observed)).toEqual(events)
    if (observed.length > 0) expect(observed.at(-1)).toMatchObject({ type: 'step:complete' })
  })

  it('tells what codex waits for', async () => {
    const { result, progress } = open([recorded('codex-unauthorized')], parse('codex'))
    await result
    expect(progress).toContainEqual(expect.stringContaining('Reconnecting... 1/5'))
  })

  it.each<[string, RunOptions, Act[], object]>([
    [
      'exit code 3 after text',
      parse('text'),
      [print('Half.'), { act: 'complain', text: 'no disk\n' }, { act: 'exit', code: 3 }],
      { code: 'agent_exited', message: 'The agent ended with exit code 3: no disk' },
    ],
    [
      'exit code 0 without a result',
      parse('claude'),
      [print('{"type":"system"}\n')],
      { code: 'agent_exited' },
    ],
    ['output that is no JSON', parse('codex'), [print('Welcome!\n')], { code: 'agent_exited' }],
    [
      'a program that is missing',
      { program: { command: '/none/agent' } },
      [],
      { code: 'agent_not_configured', retryable: false },
    ],
    [
      'a program that may not be run',
      { program: { command: fixture } },
      [],
      { code: 'agent_not_configured', retryable: false },
    ],
    [
      'a task that is longer than an argument may be',
      { about: { description: 'ä'.repeat(70_000) } },
      [],
      { code: 'agent_prompt_too_long', retryable: false },
    ],
  ])('fails with what an operator can act on: %s', async (_title, options, script, failure) => {
    await expect(open(script, options).result).rejects.toMatchObject(failure)
  })

  it('gives the task as one argument, never as an option, or as a file outside of the changes', async () => {
    const printed = 'console.log(JSON.stringify(process.argv.slice(1)))'
    const args = ['--eval', printed, 'first', '--message={prompt}', '{prompt}']
    const title = '--version $& {promptFile} "; exit'
    const given = await open([], { program: { args }, about: { title, prompt: title } }).result
    const [, message, prompt] = JSON.parse(given.output)
    expect(message.startsWith('--message=')).toBe(true)
    expect(prompt).toBe(` ${title}`)

    const byFile = {
      program: { args: [fixture, '{promptFile}'] },
      about: { description: 'ä'.repeat(70_000) },
    }
    for (const on of [commands.bench, commands.sandboxed]) {
      const program = { ...byFile.program, reads: [PROJECT] }
      const read = await open([print('Read.')], { ...byFile, program, on }).result
      expect(read).toMatchObject({ success: true, output: 'Read.', filesChanged: [] })
    }
  })

  it('stops, and leaves no process', async () => {
    const stop = new AbortController()
    const mark = `700.${process.pid}`
    const script: Act[] = [
      { act: 'leave', text: `sleep ${mark}` },
      { act: 'wait', ms: 60_000 },
    ]
    const { result } = open(script, {
      signal: stop.signal,
      on: commands.sandboxed,
      program: { reads: [PROJECT] },
    })
    await until(() => countSleeping(mark) > 0)
    stop.abort(new Error('cancelled'))
    await expect(result).rejects.toThrow('cancelled')
    // The system ends the processes of a sandbox after it.
    await until(() => countSleeping(mark) === 0)
  })
})

describe('a command', () => {
  it.each<[string, RunOptions, object]>([
    ['is healthy while its program is there', {}, { healthy: true }],
    [
      'tells that it is missing',
      { program: { command: '/none/agent' } },
      { healthy: false, message: 'Scripted is not installed: its program agent does not exist' },
    ],
    [
      'tells its missing model',
      { missingSettings: () => ['ANTHROPIC_API_KEY'] },
      { healthy: false, message: expect.stringContaining('no model. Set ANTHROPIC_API_KEY') },
    ],
  ])('%s', async (_title, options, health) => {
    const agent = commands.openAgent(options)
    expect(await agent.healthCheck()).toEqual(health)
    expect(agent.configured?.()).toBe('healthy' in health && health.healthy)
    expect(agent).toMatchObject({ family: 'command', timeoutMs: 3_600_000 })
  })

  it('has its models from the broker where it names a provider, codex by options', () => {
    const given = { type: 'mine', command: 'mine', args: ['exec', '{prompt}'] }
    const [codex, claude] = commandPrograms([
      { ...given, parse: 'codex', provider: 'openai' },
      { ...given, parse: 'claude', provider: 'anthropic' },
    ])
    const access = {
      origin: 'http://127.0.0.1:3129',
      token: 't',
      kinds: ['openai' as const],
      models: { openai: 'gpt-5' },
    }
    expect(codex?.brokerArgs?.(access)).toEqual([
      '-c',
      'model="gpt-5"',
      '-c',
      'model_provider=broker',
      '-c',
      'model_providers.broker={name="Broker",base_url="http://127.0.0.1:3129/openai/v1",env_key="OPENAI_API_KEY",wire_api="responses"}',
    ])
    expect(claude).toMatchObject({ name: 'mine', providers: ['anthropic'] })
    expect(claude?.brokerArgs).toBeUndefined()
  })
})
