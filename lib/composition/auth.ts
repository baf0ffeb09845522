import { emailKey } from '../accounts/fields.ts'
import { ROSTER_ID, registrations, rosters, users } from '../accounts/rows.ts'
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
import { isAccountAt, linkedAccounts } from '../oauth/rows.ts'
import type { ProviderName } from '../oauth/schema.ts'
import type { Store } from '../ports/store.ts'
import type { Objection } from '../settings/service.ts'
import { createSettings } from '../settings/service.ts'
import { createTokenPrincipals } from '../tokens/token-principal.ts'
import type { AuthPorts } from './ports.ts'

/** In the cloud other processes change settings too. Sessions, roles and tokens are read at each request. */
const STALE_AFTER_MS = 2_000

/** The time in which a turn is stored after its time limit. */
const TURN_ENDS_MS = 60_000
/** The longest stream: a function ends after 15 minutes. */
const LONGEST_STREAM_MS = 900_000

export type AuthContext = ReturnType<typeof createAuthContext>

/** The context that every function needs first: the settings, and who is calling. */
export const createAuthContext = (ports: AuthPorts, config: Config) => {
  const isCloud = config.SERVICE_MODE === 'pro'
  const isDeployed = isCloud && config.DYNAMODB_ENDPOINT === undefined
  const mayBeOpen = !isDeployed && findExposure(config) === undefined
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
  const { readAccountStatus, hasAdmin, adminIds } = createUsers({ ...ports, mode: authMode })
  const limiter = createLimiter(ports)
  const createSlots = (kind: Parameters<typeof createLocalUserSlots>[1]) =>
    isCloud ? createSharedUserSlots({ ...ports, limiter }, kind) : createLocalUserSlots(ports.clock, kind)
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
    tokens: createTokenPrincipals({ ...ports, readAccountStatus }),
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
    issuerBrings,
    issuerBringsAdmin,
    isClosed,
    limiter,
    countAttempt: createAttempts({ limiter }),
    holdsRights: createHoldsRights({ identity, settings }),
    openTurns: createSlots(turnLimit(config.USER_MAX_TURNS, config.AGENTIC_TIMEOUT_MS + TURN_ENDS_MS)),
    openStreams: isCloud
      ? createSharedStreams(ports, { most: config.USER_MAX_STREAMS, longestMs: LONGEST_STREAM_MS })
      : createLocalStreams(ports, { most: config.USER_MAX_STREAMS }),
  }
}

const MOST_ACCOUNTS = 200

type Needs = { store: Store; issuer: string | undefined }

/** Whether a user can sign in by the OpenID Connect issuer: by a linked account, or a verified address that matches. */
const createIssuerBrings = ({ store, issuer = '' }: Needs) => {
  // Any client may have linked it: subjects that are the same for all clients stay known.
  const place = { name: 'oidc', realm: issuer } as const

  const isLinked = async (userId: string) => {
    const selection = { index: 'ofUser', is: userId, order: 'desc', limit: MOST_ACCOUNTS } as const
    const { rows } = await store.page(linkedAccounts, selection)
    return rows.some((row) => isAccountAt(place, row))
  }

  const isVerified = async (userId: string) => {
    const user = await store.get(users, userId)
    const registration = user && (await store.get(registrations, emailKey(user.email)))
    return registration?.userId === userId && registration.emailVerified
  }

  /** Whether the user still could without the linked accounts at these providers. */
  const issuerBrings = async (userId: string, unlinked: readonly ProviderName[] = []): Promise<boolean> =>
    (await isVerified(userId)) || (!unlinked.includes('oidc') && isLinked(userId))

  const issuerBringsAdmin = async (): Promise<boolean> => {
    const roster = await store.get(rosters, ROSTER_ID)
    for (const userId of roster?.admins ?? []) if (await issuerBrings(userId)) return true
    return false
  }

  return { issuerBrings, issuerBringsAdmin }
}

type Circumstances = {
  mayBeOpen: boolean
  hasKey: () => boolean
  hasAdmin: () => Promise<boolean>
  issuerBringsAdmin: () => Promise<boolean>
  isClosed: () => boolean
}

/** Which settings are impossible in the present configuration. */
const objectionIn = (config: Config, circumstances: Circumstances): Objection => {
  const { mayBeOpen, hasKey, hasAdmin, issuerBringsAdmin, isClosed } = circumstances

  const toAccounts = async (mode: unknown) =>
    mode === 'oidc' && !(await issuerBringsAdmin())
      ? 'would let no admin in: link an admin’s account at /api/auth/oidc first, with authMode cloud'
      : undefined

  const toNoAccount = () =>
    isClosed()
      ? 'needs an account to sign in with, or registration that is not closed to the first one'
      : undefined

  const toMode = async (mode: unknown) => {
    if (mode === 'local')
      return mayBeOpen || hasKey()
        ? undefined
        : 'needs an access key first, since others than this machine can reach the service'
    if (mode === 'oidc' && (config.OIDC_ISSUER === undefined || config.OIDC_CLIENT_ID === undefined))
      return 'needs OIDC_ISSUER and OIDC_CLIENT_ID in the environment'
    // An admin must remain who can change the setting back.
    return (await hasAdmin()) ? toAccounts(mode) : toNoAccount()
  }

  return async (path, value) => {
    if (path === 'queue.name' || path === 'queue.notificationName')
      return 'is read when the service starts: set it in the environment'
    if (path.startsWith('queue.') && config.SERVICE_MODE === 'pro')
      return 'is decided by the deployment: see params in serverless.yml'
    if (path === 'system.registrationMode' && value === 'closed' && !(await hasAdmin()))
      return 'would be closed to the first account too: make that first, with authMode cloud or oidc'
    return path === 'system.authMode' ? toMode(value) : undefined
  }
}
