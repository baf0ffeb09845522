/** The description of the coding agent, without any library for models. */
export const codingAgentFacts = {
  type: 'coding-agent',
  name: 'Coding agent',
  description: 'Works with a language model and guarded tools, in its own git workspace.',
  timeoutMs: 3_600_000,
  capabilities: ['code', 'git', 'terminal', 'file-ops'],
  family: 'builtin',
} as const
