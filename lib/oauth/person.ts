import type { FindOrCreateUser, FindUser, ReadAccountStatus, User } from '../accounts/schema.ts'
import { definedFields } from '../core/defined-fields.ts'
import { Problem } from '../core/errors.ts'
import { accountId, type LinkedAccounts } from './linked-accounts.ts'
import type { Provider } from './provider.ts'
import { isAccountAt } from './rows.ts'

type Needs = {
  accounts: Pick<LinkedAccounts, 'get' | 'ofUser' | 'linkWrite'>
  findUser: FindUser
  readAccountStatus: ReadAccountStatus
  findOrCreateUser: FindOrCreateUser
}

type Exchanged = Awaited<ReturnType<Provider['exchange']>>
/** `isKnown`: the linked account was the user's before. `isNew`: this sign-in made the user. */
type Person = { user: User; isKnown: boolean; isNew: boolean }

/**
 * Finds the user who signs in with a linked account: its owner, else the user who has proven to own the same address,
 * else a new one. A subject never becomes another person; an address may, when its owner leaves and it is given to
 * another (OpenID Connect Core 1.0, section 5.7). So an address opens no account that has another subject of the same
 * realm and client; another client may get other subjects for the same people.
 */
export const createFindPerson = ({ accounts, findUser, readAccountStatus, findOrCreateUser }: Needs) => {
  /** The owner of the linked account; undefined when it has none, or the owner no longer exists. */
  const findOwner = async (id: string): Promise<User | undefined> => {
    const row = await accounts.get(id)
    const status = row && (await readAccountStatus(row.userId))
    if (status?.disabled) throw new Problem('forbidden', 'sign_in_refused', 'This account is disabled')
    return row && status && findUser(row.userId)
  }

  return async (
    provider: Provider,
    { profile, tokens }: Exchanged,
    invite: string | undefined,
  ): Promise<Person> => {
    const id = accountId(provider, profile.subject)
    const owner = await findOwner(id)
    if (owner) return { user: owner, isKnown: true, isNew: false }
    const { email = '', emailVerified, name = profile.username, avatarUrl } = profile
    const identity = { email, emailVerified, ...definedFields({ name, avatarUrl, invite }) }
    const { user, isNew } = await findOrCreateUser(identity, (userId) =>
      accounts.linkWrite(provider, userId, profile, tokens),
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
    'The account with this email address uses another account of this provider. Sign in with that one',
  )
