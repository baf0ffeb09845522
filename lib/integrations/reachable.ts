import type { Principal } from '../core/principal.ts'
import type { Clock } from '../ports/clock.ts'
import type { AccountFor, CodeHostAccount, CodeHostLists } from '../ports/code-host.ts'

const KEPT_MS = 5 * 60_000
/** Lists in memory; the oldest go first. */
const MOST_KEPT = 500

type Needs = { accountFor: AccountFor; lists: CodeHostLists; clock: Pick<Clock, 'now'> }

export type Reachable = ReturnType<typeof createReachable>

/** What the caller's linked account reaches on the code host. Lists are kept for five minutes in this process, by the token. */
export const createReachable = ({ accountFor, lists, clock }: Needs) => {
  const kept = new Map<string, { list: Promise<readonly unknown[]>; until: number }>()

  const keep = <T>(key: string, read: () => Promise<T[]>): Promise<T[]> => {
    const known = kept.get(key)
    // The key names the list, and with it the type of its items.
    if (known && known.until > clock.now()) return known.list as Promise<T[]>
    const list = read()
    kept.delete(key)
    kept.set(key, { list, until: clock.now() + KEPT_MS })
    if (kept.size > MOST_KEPT) kept.delete(kept.keys().next().value ?? '')
    list.catch(() => kept.get(key)?.list === list && kept.delete(key))
    return list
  }

  /** Nothing without a linked account. */
  const withAccount = async <T>(
    { userId }: Principal,
    name: string,
    read: (account: CodeHostAccount) => Promise<T[]>,
  ): Promise<T[]> => {
    const account = await accountFor(userId)
    return account ? keep(`${account.token} ${name}`, () => read(account)) : []
  }

  return {
    repositories: (principal: Principal) => withAccount(principal, '', lists.repositories),
    /** Throws Problem `missing` for a repository that the account does not reach. */
    branches: (principal: Principal, repository: string) => {
      const [owner = '', name = ''] = repository.split('/')
      return withAccount(principal, repository, (account) => lists.branches({ owner, name }, account))
    },
  }
}
