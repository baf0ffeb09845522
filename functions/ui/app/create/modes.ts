import type { SecurityMode } from '../../../../lib/core/security-mode.ts'

/** Which tools an agent may use, from most to least. */
export const modeLabels: Readonly<Record<SecurityMode, string>> = {
  full: 'All tools',
  ask: 'Ask first',
  allowlist: 'Allowed tools',
  sandbox: 'Read only',
  deny: 'No tools',
}
