import type { Guard } from './guard.ts'

/** Refuses calls above the rate that the policy allows each user. */
export const rateLimit: Guard = {
  name: 'rate-limit',
  refuses: ({ withinRate, callsPerMinute }) =>
    withinRate
      ? undefined
      : `More than ${callsPerMinute} tool calls in a minute. Wait, and do more with each call.`,
}
