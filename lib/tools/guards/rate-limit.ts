import type { Guard } from './guard.ts'

/** Refuses calls above the configured rate per user. */
export const rateLimit: Guard = {
  name: 'rate-limit',
  refuses: ({ recentCalls, callsPerMinute }) =>
    recentCalls >= callsPerMinute
      ? `More than ${callsPerMinute} tool calls in a minute. Wait, and do more with each call.`
      : undefined,
}
