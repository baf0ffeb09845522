import type { Clock } from '../ports/clock.ts'
import type { LinkedAccounts } from './linked-accounts.ts'
import type { Providers } from './providers.ts'
import type { WorkingToken } from './renewal.ts'
import { isAccountAt, type LinkedAccountRow } from './rows.ts'
import type { AccountAccess, ProviderName } from './schema.ts'

type Needs = {
  accounts: Pick<LinkedAccounts, 'ofUser'>
  providers: Providers
  workingToken: WorkingToken
  clock: Clock
  adminIds: () => Promise<readonly string[]>
}

const MOST_ADMINS = 100

/** Access to providers in the name of the owners of linked accounts. */
export const createAccountAccess = ({
  accounts,
  providers,
  workingToken,
  adminIds,
}: Needs): AccountAccess => {
  /** The accounts of a user with tokens for the provider as it is configured now, newest first. */
  const usableAccounts = async (userId: string, name: ProviderName): Promise<LinkedAccountRow[]> => {
    const provider = providers.get(name)
    const rows = provider ? await accounts.ofUser(userId) : []
    return rows.filter(
      (row) => provider && isAccountAt(provider, row) && !row.ended && row.tokens !== undefined,
    )
  }

  const toUsableAccount = ({ id, username, cloudId }: LinkedAccountRow) => ({
    id,
    ...(username === undefined ? {} : { username }),
    ...(cloudId === undefined ? {} : { cloudId }),
  })

  return {
    writerAt: async (name) => {
      const writes = providers.get(name)?.writes
      if (writes === undefined) return undefined
      const ids = (await adminIds()).slice(0, MOST_ADMINS)
      const rows = (await Promise.all(ids.map((userId) => usableAccounts(userId, name)))).flat()
      const [newest] = rows
        .filter(({ scopes }) => writes(scopes))
        .sort((a, b) => (a.linkedAt < b.linkedAt ? 1 : -1))
      return newest && toUsableAccount(newest)
    },
    readerFor: async (userId, name) => {
      const [newest] = await usableAccounts(userId, name)
      return newest && toUsableAccount(newest)
    },
    validToken: async (id, name) => {
      const provider = providers.get(name)
      return provider && workingToken(id, provider)
    },
  }
}
