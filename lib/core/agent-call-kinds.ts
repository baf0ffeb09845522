/** The kinds of calls that agents make by themselves, which are those of the Agent Client Protocol, and the risk of each. */
export const agentCallKinds = {
  read: 'read',
  search: 'read',
  think: 'read',
  edit: 'write',
  delete: 'write',
  move: 'write',
  execute: 'execute',
  fetch: 'network',
  switch_mode: 'execute',
  other: 'execute',
} as const
export type AgentCallKind = keyof typeof agentCallKinds

/** Agents may send any text as the kind of a call. */
export const toAgentCallKind = (text: string | null | undefined): AgentCallKind =>
  text && Object.hasOwn(agentCallKinds, text) ? (text as AgentCallKind) : 'other'
