import { type Config, readConfig } from '../config.ts'
import { createAuthContext } from '../join/auth-context.ts'
import { joinWork } from '../join/work.ts'
import type { AgentAdapter } from '../ports/agent.ts'
import { openAccounts, openWorkPorts, type Sending, withoutSending } from './cloud-ports.ts'

/** The domains of a function that runs no agents; `adapters` are those that its tasks may name. */
export const openJobs = (
  config: Config = readConfig(),
  sending: Sending = withoutSending,
  adapters: readonly AgentAdapter[] = [],
) => {
  const outside = { ...openWorkPorts(config, sending), adapters }
  const entry = createAuthContext(outside, config)
  const { log, clock, redeliverIn } = outside
  // Who sends also writes comments.
  const commenting = sending === withoutSending ? {} : { commenting: openAccounts(entry, outside, config) }
  const work = joinWork(entry, { ...outside, ...commenting }, config)
  return { ...work, settings: entry.settings, entry, outside, log, clock, redeliverIn }
}
