import { createUsers } from '../accounts/users.ts'
import { createAudit } from '../audit/service.ts'
import { createIdentity } from '../auth/identity.ts'
import { createAttempts } from '../auth/limits.ts'
import { createSessions } from '../auth/sessions.ts'
import type { Config } from '../config.ts'
import type { Masker } from '../core/masker.ts'
import { createIsPaired } from '../devices/seen.ts'
import { createUnpairing } from '../devices/unpair.ts'
import { createLimiter } from '../limits/limiter.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { Store } from '../ports/store.ts'
import { createSettings } from '../settings/service.ts'
import { createTokenPrincipal } from '../tokens/token-principal.ts'
import { exposureOf } from './exposure.ts'
import { createIssuerBrings } from './issuer-admins.ts'
import { objectionIn } from './objection.ts'

/** The outside world as it is needed to know who is calling. */
export type AuthPorts = {
  store: Store
  entropy: Entropy
  clock: Clock
  ids: Ids
  log: Log
  masker: Masker
}

/** In the cloud other processes change settings too; sessions, roles and tokens are read with each request. */
const STALE_AFTER_MS = 2_000

export type AuthContext = ReturnType<typeof createAuthContext>

/** What every function needs before it does anything: the settings, and who is calling. */
export const createAuthContext = (ports: AuthPorts, config: Config) => {
  const isCloud = config.SERVICE_MODE === 'pro'
  const isDeployed = isCloud && config.DYNAMODB_ENDPOINT === undefined
  const mayBeOpen = !isDeployed && exposureOf(config) === undefined
  const audit = createAudit(ports)
  const { issuerBrings, issuerBringsAdmin } = createIssuerBrings({ ...ports, issuer: config.OIDC_ISSUER })
  const settings = createSettings({
    ...ports,
    given: { values: config, names: config.given },
    objection: objectionIn(config, {
      mayBeOpen,
      hasKey: () => hasAccessKey(),
      hasAdmin: () => hasAdmin(),
      issuerBringsAdmin,
      isClosed: () => isClosed(),
    }),
    audit: audit.record,
    staleAfterMs: isCloud ? STALE_AFTER_MS : Number.POSITIVE_INFINITY,
  })
  const hasAccessKey = () => config.ACCESS_KEY !== undefined || settings.accessKeyHash() !== undefined
  const authMode = () => settings.current().system.authMode
  const isClosed = () => settings.current().system.registrationMode === 'closed'
  const { accountStatusOf, hasAdmin, adminIds } = createUsers({ ...ports, mode: authMode })
  const limiter = createLimiter(ports)
  const sessions = createSessions({
    ...ports,
    accountStatusOf,
    isPaired: createIsPaired(ports),
    ...createUnpairing({ ...ports, audit: audit.record }),
    fixedKey: config.ACCESS_KEY,
  })
  const identity = createIdentity({
    ...{ mode: authMode, hasKey: hasAccessKey, mayBeOpen, sessions },
    ofToken: createTokenPrincipal({ ...ports, accountStatusOf }),
  })
  return {
    ...{ audit, settings, authMode, accountStatusOf, sessions, identity, hasAccessKey, mayBeOpen },
    ...{ hasAdmin, adminIds, issuerBrings, issuerBringsAdmin, isClosed },
    ...{ limiter, countAttempt: createAttempts({ limiter }) },
  }
}
