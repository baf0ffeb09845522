import { emailKey } from '../accounts/fields.ts'
import { ROSTER_ID, registrations, rosters, users } from '../accounts/rows.ts'
import { isAccountAt, linkedAccounts } from '../oauth/rows.ts'
import type { ProviderName } from '../oauth/schema.ts'
import type { Store } from '../ports/store.ts'

const MOST_ACCOUNTS = 200

type Needs = { store: Store; issuer: string | undefined }

/**
 * Whom the OpenID Connect issuer could bring in: who has an account linked there, or a verified address, by which the
 * issuer's account is found.
 */
export const createIssuerBrings = ({ store, issuer = '' }: Needs) => {
  // Any client may have linked it: subjects that the issuer tells all clients alike are still known.
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

  /** Whether it could once those providers are unlinked. */
  const issuerBrings = async (userId: string, unlinked: readonly ProviderName[] = []): Promise<boolean> =>
    (await isVerified(userId)) || (!unlinked.includes('oidc') && isLinked(userId))

  /** Whether one of them is an admin who is not disabled. */
  const issuerBringsAdmin = async (): Promise<boolean> => {
    const roster = await store.get(rosters, ROSTER_ID)
    for (const userId of roster?.admins ?? []) if (await issuerBrings(userId)) return true
    return false
  }

  return { issuerBrings, issuerBringsAdmin }
}
