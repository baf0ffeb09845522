import type { RegistrationMode } from '../../lib/accounts/registration.ts'
import { invites, ROSTER_ID, registrations, rosters, users } from '../../lib/accounts/rows.ts'
import { createAccounts } from '../../lib/accounts/service.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import type { AuthMode } from '../../lib/auth/schema.ts'
import type { Collection } from '../../lib/core/collection.ts'
import type { Principal } from '../../lib/core/principal.ts'
import { linkedAccounts } from '../../lib/oauth/rows.ts'
import type { Ids } from '../../lib/ports/ids.ts'
import type { Passwords } from '../../lib/ports/passwords.ts'
import type { Store } from '../../lib/ports/store.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeIds } from '../fakes/ids.ts'

export const ADMIN: Principal = { userId: 'user_admin', role: 'admin' }
export const PASSWORD = 'correct horse 1'

export const accountCollections = [
  registrations,
  users,
  rosters,
  invites,
  linkedAccounts,
] as unknown as readonly Collection[]

/** Hashing that costs nothing, so that races are between writes; the real one is tested where it matters. */
export const quickPasswords: Passwords = {
  hash: async (password) => `hash of ${password}`,
  verify: async (password, hash) => hash === `hash of ${password}`,
}

type Options = {
  store?: Store
  ids?: Ids
  mode?: AuthMode
  registrationMode?: RegistrationMode
}

/** Accounts over a real store; whose sessions were ended, what was audited and which hashes were compared is kept. */
export const createWorld = (options: Options = {}) => {
  const clock = createFakeClock()
  const store = options.store ?? openSqliteStore({ file: ':memory:', collections: accountCollections, clock })
  const settings = {
    mode: options.mode ?? ('cloud' as AuthMode),
    registrationMode: options.registrationMode ?? ('invite' as RegistrationMode),
    /** Whom the mode of sign-in does not let in. */
    lockedOut: [] as string[],
  }
  const ended: { userId: string; by: string | undefined }[] = []
  const verified: (string | undefined)[] = []
  const audited: { action: string; details?: object | undefined }[] = []
  const accounts = createAccounts({
    store,
    entropy,
    passwords: {
      hash: quickPasswords.hash,
      verify: (password, hash) => {
        verified.push(hash)
        return quickPasswords.verify(password, hash)
      },
    },
    // Who loses a race waits a moment, while the time of day stands still.
    clock: { ...clock, after: createClock().after },
    ids: options.ids ?? createFakeIds(),
    mode: () => settings.mode,
    registrationMode: () => settings.registrationMode,
    countAttempt: async () => undefined,
    unlink: async () => [],
    canSignIn: async (userId) => !settings.lockedOut.includes(userId),
    endSessions: async (userId, { devices }) => void ended.push({ userId, by: devices?.by.userId }),
    audit: async (_principal, action, details) => void audited.push({ action, details }),
  })
  const signUp = (name: string, more: { inviteCode?: string; email?: string; password?: string } = {}) =>
    accounts.signUp({ email: `${name.toLowerCase()}@example.com`, password: PASSWORD, name, ...more })
  const logIn = (name: string, password = PASSWORD) =>
    accounts.logIn({ email: `${name.toLowerCase()}@example.com`, password }).then(({ user }) => user)
  /** An invite by somebody, an admin with an account when nobody is named: that of anybody else is none. */
  const invite = async (given: { email?: string; expiresInDays?: number; by?: string } = {}) => {
    const { by = (await store.get(rosters, ROSTER_ID))?.admins[0] ?? '', ...wanted } = given
    return (await accounts.invites.create({ userId: by, role: 'admin' }, { expiresInDays: 7, ...wanted }))
      .code
  }
  const everyUser = async () => (await accounts.list({ limit: 200 })).users
  return { accounts, settings, store, clock, ended, audited, verified, signUp, logIn, invite, everyUser }
}
export type World = ReturnType<typeof createWorld>

/** What each of several calls at once came to: its value, or the code of its problem. */
export const outcomes = async <T>(calls: readonly Promise<T>[]): Promise<(T | string)[]> =>
  (await Promise.allSettled(calls)).map((settled) =>
    settled.status === 'fulfilled' ? settled.value : String(settled.reason.code ?? settled.reason),
  )

export const count = (all: readonly unknown[], one: unknown): number =>
  all.filter((each) => each === one).length
