import { type Config, readConfig } from '../config.ts'
import { createDomains } from '../domains.ts'
import { openCloudPorts } from './cloud.ts'

/** The domains of a function that runs no agents. */
export const openJobs = (config: Config = readConfig()) => {
  const outside = openCloudPorts(config)
  const { log, clock, redeliverIn } = outside
  return { ...createDomains({ ...outside, adapters: [] }, config), log, clock, redeliverIn }
}
