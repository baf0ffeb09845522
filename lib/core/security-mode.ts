/** How far tools may go, from nothing to everything. Guards hold in every mode. */
export const securityModes = ['deny', 'sandbox', 'allowlist', 'ask', 'full'] as const
export type SecurityMode = (typeof securityModes)[number]

export const isSecurityMode = (value: unknown): value is SecurityMode =>
  securityModes.some((mode) => mode === value)
