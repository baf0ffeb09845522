import type { Config } from './config.ts'
import { joinDevices } from './join/devices.ts'
import { createEntry } from './join/entry.ts'
import { joinSignIn, type SignInPorts } from './join/sign-in.ts'
import { joinTokens } from './join/tokens.ts'
import { joinWork, type WorkPorts } from './join/work.ts'

/** The outside world as the domains see it. */
export type Ports = SignInPorts & WorkPorts

export type Domains = ReturnType<typeof createDomains>

/** All domains, joined: a verb that one needs of another is handed over in `join/`, and nowhere else. */
export const createDomains = (ports: Ports, config: Config) => {
  const entry = createEntry(ports, config)
  return {
    ...entry,
    ...joinSignIn(entry, ports, config),
    ...joinWork(entry, ports, config),
    devices: joinDevices(entry, ports),
    tokens: joinTokens(entry, ports, config),
  }
}
