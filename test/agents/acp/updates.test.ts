import { expect, it } from '@jest/globals'
import { createUpdates, type Update } from '../../../lib/adapters/agents/acp/updates.ts'
import type { LoopEvent } from '../../../lib/ports/tool.ts'

it.each<[string, string, string, unknown, { failed: boolean; decision: string }]>([
  [
    'a command that Codex ran well',
    'one',
    'completed',
    { exit_code: 0 },
    { failed: false, decision: 'allowed' },
  ],
  ['one that Codex saw fail', 'one', 'completed', { exit_code: 1 }, { failed: true, decision: 'allowed' }],
  [
    'one that OpenCode saw fail',
    'one',
    'completed',
    { output: '', metadata: { exit: 2 } },
    { failed: true, decision: 'allowed' },
  ],
  [
    'one that was ended by a signal',
    'one',
    'failed',
    { exit_code: null },
    { failed: true, decision: 'allowed' },
  ],
  ['one whose output is text', 'one', 'completed', 'exit_code: 1', { failed: false, decision: 'allowed' }],
  ['one that was denied', 'denied', 'failed', undefined, { failed: true, decision: 'denied' }],
])('%s is told as such', (_name, toolCallId, status, rawOutput, expected) => {
  const events: LoopEvent[] = []
  const updates = createUpdates({
    observe: (event) => events.push(event),
    now: () => 0,
    deniedIds: new Set(['denied']),
  })
  const call = { toolCallId, title: 'npm test', kind: 'execute', rawInput: { command: 'npm test' } }
  updates.take({ sessionUpdate: 'tool_call', status: 'in_progress', ...call } as Update)
  updates.take({ sessionUpdate: 'tool_call_update', toolCallId, status, rawOutput } as Update)
  expect(events.at(-1)).toMatchObject({ type: 'tool:result', outcome: expected })
})

const openEvents = () => {
  const events: LoopEvent[] = []
  const { take, wholeCall } = createUpdates({
    observe: (event) => events.push(event),
    now: () => 0,
    deniedIds: new Set(),
  })
  return {
    take: (update: object) =>
      take({ sessionUpdate: 'tool_call_update', toolCallId: 'one', ...update } as Update),
    wholeCall,
    events: () => events.filter(({ type }) => type.startsWith('tool:')),
  }
}
const eventsOf = (...updates: object[]): LoopEvent[] => {
  const { take, events } = openEvents()
  updates.forEach(take)
  return events()
}
const printed = (data: string) => ({ _meta: { terminal_output_delta: { data, terminal_id: 'one' } } })

it('a command of OpenCode, which it announces with its folder alone, is told with its line', () => {
  const call = { kind: 'execute', title: 'npm test', rawInput: { command: 'npm test', cwd: '/work' } }
  const events = eventsOf(
    { sessionUpdate: 'tool_call', ...call, title: 'bash', status: 'pending', rawInput: { cwd: '/work' } },
    { ...call, status: 'in_progress' },
  )
  expect(events).toMatchObject([
    { title: 'npm test', kind: 'execute', call: { name: 'execute', arguments: call.rawInput } },
  ])
})

it('a call begins when it is asked about, where its permission is the first to tell its input', () => {
  const { take, wholeCall, events } = openEvents()
  const rawInput = { command: 'npm test' }
  const asked = { toolCallId: 'one', title: 'npm test', status: 'pending', rawInput }
  wholeCall({ ...asked, toolCallId: 'of_a_subagent' })
  take({ sessionUpdate: 'tool_call', kind: 'execute', title: 'bash', status: 'pending', rawInput: {} })
  expect(events()).toEqual([])
  wholeCall(asked)
  expect(events()).toMatchObject([
    { type: 'tool:call', title: 'npm test', call: { name: 'execute', arguments: rawInput } },
  ])
})

it.each<[string, object[], string, string]>([
  [
    'of a terminal',
    [{ content: [{ type: 'terminal', terminalId: 'one' }] }, printed('1\n'), printed('2\n')],
    'execute',
    '1\n2\n',
  ],
  ['of a file that it reads by a command', [printed('Hello\n')], 'read', 'Hello\n'],
  ['of one that prints too much', [printed('1'.repeat(60_000)), printed('2'.repeat(60_000))], 'execute', '…'],
])(
  'the output %s of Codex is its result, and its kind is told beside its name',
  (_what, updates, kind, end) => {
    const call = { sessionUpdate: 'tool_call', name: 'exec_command', kind, status: 'in_progress' }
    const [begun, ended] = eventsOf(call, ...updates, { status: 'completed', rawOutput: { exit_code: 0 } })
    expect(begun).toMatchObject({ kind, call: { name: 'exec_command' } })
    const { content } = (ended as Extract<LoopEvent, { type: 'tool:result' }>).outcome
    expect(content.endsWith(end)).toBe(true)
    expect(content.length).toBeLessThanOrEqual(100_000)
  },
)

it.each([
  ['one code block', '```console\nExit code 1\nno such file\n```', 'Exit code 1\nno such file'],
  ['one that has a shorter fence in it', '````\n```js\n1\n```\n````', '```js\n1\n```'],
  ['two code blocks', '```\none\n```\nand\n```\ntwo\n```', '```\none\n```\nand\n```\ntwo\n```'],
  ['plain text', 'no such file', 'no such file'],
])('what a command printed is told as text, from %s', (_name, text, content) => {
  const call = { sessionUpdate: 'tool_call', kind: 'execute', title: 'cat a', rawInput: { command: 'cat a' } }
  const told = [{ type: 'content', content: { type: 'text', text } }]
  const events = eventsOf(call, { status: 'failed', content: told })
  expect(events.at(-1)).toMatchObject({ type: 'tool:result', outcome: { content } })
})
