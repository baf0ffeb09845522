import type { FindOrCreateBy, StandingOf, User, UserOf } from '../accounts/schema.ts'
import { Problem } from '../core/errors.ts'
import { accountId, type LinkedAccounts } from './linked-accounts.ts'
import type { Profile, Provider } from './provider.ts'
import { isAccountAt } from './rows.ts'

type Needs = {
  accounts: Pick<LinkedAccounts, 'get' | 'ofUser'>
  userOf: UserOf
  standingOf: StandingOf
  findOrCreateBy: FindOrCreateBy
}

/** `isKnown` tells that the account elsewhere was the user's before. */
type Person = { user: User; isKnown: boolean }

/**
 * Who signs in with an account elsewhere: its owner, else whoever has proven to hold the same address, else somebody
 * new. A subject never becomes another person; an address may, when its holder leaves and it is given away (OpenID
 * Connect Core 1.0, section 5.7). So it opens no account that has another subject of the same place, as told to the same
 * client: another one may be told other subjects of the same people.
 */
export const createPersonWho = ({ accounts, userOf, standingOf, findOrCreateBy }: Needs) => {
  /** The user whose account that is; undefined when it is nobody's, or its owner is gone. */
  const ownerOf = async (id: string): Promise<User | undefined> => {
    const row = await accounts.get(id)
    const standing = row && (await standingOf(row.userId))
    if (standing?.disabled) throw new Problem('forbidden', 'sign_in_refused', 'This account is disabled')
    return row && standing && userOf(row.userId)
  }

  return async (provider: Provider, profile: Profile, invite: string | undefined): Promise<Person> => {
    const id = accountId(provider, profile.subject)
    const owner = await ownerOf(id)
    if (owner) return { user: owner, isKnown: true }
    const { email = '', emailVerified, name = profile.username, avatarUrl } = profile
    const { user } = await findOrCreateBy({
      email,
      emailVerified,
      ...(name === undefined ? {} : { name }),
      ...(avatarUrl === undefined ? {} : { avatarUrl }),
      ...(invite === undefined ? {} : { invite }),
    })
    const linked = await accounts.ofUser(user.id)
    if (linked.some((row) => row.id !== id && isAccountAt(provider, row))) throw linkedToAnother()
    return { user, isKnown: false }
  }
}

const linkedToAnother = () =>
  new Problem(
    'forbidden',
    'account_exists',
    'The account with this e-mail address belongs to another account of this provider: sign in with that one',
  )
