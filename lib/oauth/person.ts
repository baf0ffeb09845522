import type { AccountStatusOf, FindOrCreateUser, User, UserOf } from '../accounts/schema.ts'
import { Problem } from '../core/errors.ts'
import { accountId, type LinkedAccounts } from './linked-accounts.ts'
import type { Provider } from './provider.ts'
import { isAccountAt } from './rows.ts'

type Needs = {
  accounts: Pick<LinkedAccounts, 'get' | 'ofUser' | 'linkOf'>
  userOf: UserOf
  accountStatusOf: AccountStatusOf
  findOrCreateUser: FindOrCreateUser
}

type Exchanged = Awaited<ReturnType<Provider['exchange']>>
/** `isKnown`: the account elsewhere was the user's before; `isNew`: the user is new, and it is by now. */
type Person = { user: User; isKnown: boolean; isNew: boolean }

/**
 * Who signs in with an account elsewhere: its owner, else the user who has proven to own the same address, else a new
 * one. A subject never becomes another person; an address may, when its owner leaves and it is given away (OpenID
 * Connect Core 1.0, section 5.7). So it opens no account that has another subject of the same place, as given to the same
 * client: another one may get other subjects of the same people.
 */
export const createPersonWho = ({ accounts, userOf, accountStatusOf, findOrCreateUser }: Needs) => {
  /** The user whose account that is; undefined when it has no owner, or the owner is gone. */
  const ownerOf = async (id: string): Promise<User | undefined> => {
    const row = await accounts.get(id)
    const status = row && (await accountStatusOf(row.userId))
    if (status?.disabled) throw new Problem('forbidden', 'sign_in_refused', 'This account is disabled')
    return row && status && userOf(row.userId)
  }

  return async (
    provider: Provider,
    { profile, tokens }: Exchanged,
    invite: string | undefined,
  ): Promise<Person> => {
    const id = accountId(provider, profile.subject)
    const owner = await ownerOf(id)
    if (owner) return { user: owner, isKnown: true, isNew: false }
    const { email = '', emailVerified, name = profile.username, avatarUrl } = profile
    const identity = {
      ...{ email, emailVerified },
      ...(name === undefined ? {} : { name }),
      ...(avatarUrl === undefined ? {} : { avatarUrl }),
      ...(invite === undefined ? {} : { invite }),
    }
    const { user, isNew } = await findOrCreateUser(identity, (userId) =>
      accounts.linkOf(provider, userId, profile, tokens),
    )
    if (isNew) return { user, isKnown: false, isNew }
    const linked = await accounts.ofUser(user.id)
    if (linked.some((row) => row.id !== id && isAccountAt(provider, row))) throw linkedToAnother()
    return { user, isKnown: false, isNew }
  }
}

const linkedToAnother = () =>
  new Problem(
    'forbidden',
    'account_exists',
    'The account with this e-mail address belongs to another account of this provider: sign in with that one',
  )
