import type { Config } from './config.ts'
import { joinDevices } from './join/devices.ts'
import { createEntry } from './join/entry.ts'
import { joinMemory, type MemoryJoinPorts } from './join/memory.ts'
import { joinSecurity } from './join/security.ts'
import { joinSignIn, type SignInPorts } from './join/sign-in.ts'
import { joinTokens } from './join/tokens.ts'
import { createContinueTurn } from './join/turns.ts'
import { joinWebhooks } from './join/webhooks.ts'
import { joinWork, type WorkPorts } from './join/work.ts'

/** The outside world as the domains see it. */
export type Ports = SignInPorts & WorkPorts & MemoryJoinPorts

export type Domains = ReturnType<typeof createDomains>

/** All domains, joined: a verb that one needs of another is handed over in `join/`, and nowhere else. */
export const createDomains = (ports: Ports, config: Config) => {
  const entry = createEntry(ports, config)
  const work = joinWork(entry, ports, config)
  return {
    ...entry,
    ...joinSignIn(entry, ports, config),
    ...work,
    ...joinSecurity(entry, ports, config),
    continueTurn: createContinueTurn(ports),
    devices: joinDevices(entry, ports),
    memory: joinMemory(entry, ports),
    tokens: joinTokens(entry, ports, config),
    inbound: joinWebhooks(work, ports, config),
  }
}
