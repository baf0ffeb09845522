import { emailKey } from '../accounts/fields.ts'
import { createRegistry } from '../accounts/registry.ts'
import { ROSTER_ID, rosters, users } from '../accounts/rows.ts'
import { linkedAccounts } from '../oauth/rows.ts'
import type { Store } from '../ports/store.ts'

const MOST_ACCOUNTS = 200

/**
 * Whether the OpenID Connect issuer could bring an admin in who is not disabled: one with an account linked there, or
 * with a verified address, by which the issuer's account is found. A linked account does not tell of which issuer it
 * is, so one of an issuer of before counts too.
 */
export const createIssuerBringsAdmin = ({ store }: { store: Store }) => {
  const registry = createRegistry({ store })

  const isLinked = async (userId: string) => {
    const selection = { index: 'ofUser', is: userId, order: 'desc', limit: MOST_ACCOUNTS } as const
    const { rows } = await store.page(linkedAccounts, selection)
    return rows.some(({ provider }) => provider === 'oidc')
  }

  const isVerified = async (userId: string) => {
    const user = await store.get(users, userId)
    const holder = user && (await registry.holderOf(emailKey(user.email)))
    return holder?.userId === userId && holder.emailVerified
  }

  return async (): Promise<boolean> => {
    // The first account may be half made.
    await registry.isFounded()
    const roster = await store.get(rosters, ROSTER_ID)
    for (const userId of roster?.admins ?? [])
      if ((await isVerified(userId)) || (await isLinked(userId))) return true
    return false
  }
}
