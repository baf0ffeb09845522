import { createOutboundCheck } from '../adapters/node/outbound-check.ts'
import { createWebSearchProviders } from '../adapters/web-search/catalog.ts'
import type { Config } from '../config.ts'
import type { AuthContext, AuthPorts } from '../join/auth-context.ts'
import { joinWebSearch } from '../join/integrations.ts'
import type { Outbound } from '../ports/outbound.ts'
import { openCloudCipher } from './cloud-cipher.ts'

type Entry = Pick<AuthContext, 'audit'>

/** The search of the web in a function that runs tools. */
export const openWebSearch = (entry: Entry, ports: AuthPorts, config: Config, outbound: Outbound) =>
  joinWebSearch(entry, {
    ...ports,
    cipher: openCloudCipher(config, ports),
    outbound,
    webSearchProviders: createWebSearchProviders({ outbound, clock: ports.clock }),
  })

const notHere = async (): Promise<never> => {
  throw new Error('This function searches nothing')
}

/** Its settings, in a function that is small without the client of those that search. */
export const openWebSearchSettings = (entry: Entry, ports: AuthPorts, config: Config) => {
  const { check } = createOutboundCheck({ clock: ports.clock, allow: config.OUTBOUND_ALLOW_HOSTS })
  return openWebSearch(entry, ports, config, { check, send: notHere })
}
