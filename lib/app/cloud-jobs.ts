import { type Config, readConfig } from '../config.ts'
import { createAuthContext } from '../join/auth-context.ts'
import { joinWork } from '../join/work.ts'
import { openWorkPorts, type Sending, withoutSending } from './cloud.ts'

/** The domains of a function that runs no agents. */
export const openJobs = (config: Config = readConfig(), sending: Sending = withoutSending) => {
  const outside = { ...openWorkPorts(config, sending), adapters: [] }
  const entry = createAuthContext(outside, config)
  const { log, clock, redeliverIn } = outside
  const work = joinWork(entry, outside, config)
  return { ...work, settings: entry.settings, entry, outside, log, clock, redeliverIn }
}
