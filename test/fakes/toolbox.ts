import type { Toolbox, ToolOutcome } from '../../lib/ports/tool.ts'

/** The outcome of a call that waits for that approval. */
export const pendingOn = (approvalId: string): ToolOutcome => ({
  content: '',
  failed: false,
  decision: 'pending',
  durationMs: 0,
  approvalId,
})

/** A toolbox of one tool that makes each call as it is told to; where `more` says nothing, no call waits for a person. */
export const fakeToolbox = (call: Toolbox['call'], more: Partial<Toolbox> = {}): Toolbox => ({
  specs: [{ name: 'echo', description: 'Echoes', inputSchema: { type: 'object' } }],
  title: ({ name }) => name,
  ask: async () => undefined,
  isDecided: async () => true,
  ...more,
  call,
})
