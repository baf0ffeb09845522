import { defaultPolicy, type Policy, type PolicySource } from '../../lib/security/schema.ts'

/** A policy that does not change. */
export const policySource = (changes: Partial<Policy>): PolicySource => {
  const policy = { ...defaultPolicy, ...changes }
  return { known: () => policy, current: async () => policy }
}
