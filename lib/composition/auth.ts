import { createUsers } from '../accounts/users.ts'
import { createAudit } from '../audit/service.ts'
import { createAttempts } from '../auth/attempts.ts'
import { createIdentity } from '../auth/identity.ts'
import { createSessions } from '../auth/sessions.ts'
import type { Config } from '../config/config.ts'
import { findExposure } from '../config/exposure.ts'
import { createIsPaired, createUnpairing } from '../devices/paired.ts'
import { createHoldsRights } from '../http/guard.ts'
import { createLimiter } from '../limits/limiter.ts'
import { createLocalStreams, createSharedStreams } from '../limits/streams.ts'
import { createLocalUserSlots, createSharedUserSlots, turnLimit } from '../limits/user-slots.ts'
import { createLinkedAccountLookup } from '../oauth/linked-accounts.ts'
import { isAccountAt } from '../oauth/rows.ts'
import type { ProviderName } from '../oauth/schema.ts'
import type { Store } from '../ports/store.ts'
import { createObjection } from '../settings/objection.ts'
import { createSettings } from '../settings/service.ts'
import { createTokenPrincipals } from '../tokens/token-principal.ts'
import type { AuthPorts } from './ports.ts'

/** Other processes change settings too. Sessions, roles and tokens are read at each request. */
const STALE_AFTER_MS = 2_000

/** The time in which a turn is stored after its time limit. */
const TURN_ENDS_MS = 60_000
/** The longest stream: a function ends after 15 minutes. */
const LONGEST_STREAM_MS = 900_000

export type AuthContext = ReturnType<typeof createAuthContext>

/** The context that every function needs first: the settings, and who is calling. */
export const createAuthContext = (ports: AuthPorts, config: Config) => {
  const isShared = ports.processes === 'many'
  const isDeployed = isShared && config.DYNAMODB_ENDPOINT === undefined
  const mayBeOpen = !isDeployed && findExposure(config) === undefined
  const audit = createAudit(ports)
  const authMode = () => settings.current().system.authMode
  const users = createUsers({ ...ports, mode: authMode })
  const { readAccountStatus, hasAdmin, adminIds } = users
  const issuer = createIssuerBrings({ ...ports, ...users, issuer: config.OIDC_ISSUER })
  const settings = createSettings({
    ...ports,
    given: { values: config, names: config.given },
    objection: createObjection({
      ...issuer,
      mayBeOpen,
      areQueuesDeployed: isShared,
      hasIssuer: config.OIDC_ISSUER !== undefined && config.OIDC_CLIENT_ID !== undefined,
      hasKey: () => hasAccessKey(),
      hasAdmin,
      isClosed: () => isClosed(),
    }),
    audit: audit.record,
    staleAfterMs: isShared ? STALE_AFTER_MS : Number.POSITIVE_INFINITY,
  })
  const hasAccessKey = () => config.ACCESS_KEY !== undefined || settings.accessKeyHash() !== undefined
  const isClosed = () => settings.current().system.registrationMode === 'closed'
  const limiter = createLimiter(ports)
  const createSlots = (kind: Parameters<typeof createLocalUserSlots>[1]) =>
    isShared ? createSharedUserSlots({ ...ports, limiter }, kind) : createLocalUserSlots(ports.clock, kind)
  const sessions = createSessions({
    ...ports,
    readAccountStatus,
    isPaired: createIsPaired(ports),
    ...createUnpairing({ ...ports, audit: audit.record }),
    fixedKey: config.ACCESS_KEY,
  })
  const identity = createIdentity({
    mode: authMode,
    hasKey: hasAccessKey,
    mayBeOpen,
    sessions,
    tokens: createTokenPrincipals({ ...ports, readAccountStatus, runnerToken: config.RUNNER_TOKEN }),
  })
  return {
    audit,
    settings,
    authMode,
    readAccountStatus,
    sessions,
    identity,
    hasAccessKey,
    mayBeOpen,
    hasAdmin,
    adminIds,
    ...issuer,
    isClosed,
    limiter,
    countAttempt: createAttempts({ limiter }),
    holdsRights: createHoldsRights({ identity, settings }),
    takeTurnSlot: createSlots(turnLimit(config.USER_MAX_TURNS, config.AGENTIC_TIMEOUT_MS + TURN_ENDS_MS)),
    openStreams: isShared
      ? createSharedStreams(ports, { most: config.USER_MAX_STREAMS, longestMs: LONGEST_STREAM_MS })
      : createLocalStreams(ports, { most: config.USER_MAX_STREAMS }),
  }
}

type IssuerNeeds = { store: Store; issuer: string | undefined } & Pick<
  ReturnType<typeof createUsers>,
  'hasVerifiedEmail' | 'rosterAdmins'
>

/** Whether a user can sign in by the OpenID Connect issuer: by a linked account, or a verified address that matches. */
const createIssuerBrings = ({ store, issuer = '', hasVerifiedEmail, rosterAdmins }: IssuerNeeds) => {
  const linkedTo = createLinkedAccountLookup(store)
  // Any client may have linked it: subjects that are the same for all clients stay known.
  const place = { name: 'oidc', realm: issuer } as const
  const isLinked = async (userId: string) => (await linkedTo(userId)).some((row) => isAccountAt(place, row))

  /** Whether the user still could without the linked accounts at these providers. */
  const issuerBrings = async (userId: string, unlinked: readonly ProviderName[] = []): Promise<boolean> =>
    (await hasVerifiedEmail(userId)) || (!unlinked.includes('oidc') && isLinked(userId))

  const issuerBringsAdmin = async (): Promise<boolean> => {
    for (const userId of await rosterAdmins()) if (await issuerBrings(userId)) return true
    return false
  }
  return { issuerBrings, issuerBringsAdmin }
}
