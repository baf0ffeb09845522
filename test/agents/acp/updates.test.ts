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
