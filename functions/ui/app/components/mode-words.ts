import type { SecurityMode } from '../../../../lib/core/security-mode.ts'

/** What an agent may do with its tools, from most to least. */
export const modeNames: Readonly<Record<SecurityMode, string>> = {
  full: 'All tools',
  ask: 'Ask first',
  allowlist: 'Allowed tools',
  sandbox: 'Read only',
  deny: 'No tools',
}

export const modeMeanings: Readonly<Record<SecurityMode, string>> = {
  full: 'Every tool runs without asking.',
  ask: 'Reads freely. Writes, programs and web requests wait for approval, unless the tool is set to Allow.',
  allowlist: 'Only tools set to Allow, regardless of risk.',
  sandbox: 'No writes, programs or web requests.',
  deny: 'Answers only.',
}
