import { iso } from '../core/time.ts'
import type { LinkedAccounts } from './linked-accounts.ts'
import type { LinkedAccountRow } from './rows.ts'
import type { Connection, ConnectionOf } from './schema.ts'

/** The account that a user linked last with a provider. It needs no key: tokens stay sealed. */
export const createConnectionOf =
  ({ ofUser }: Pick<LinkedAccounts, 'ofUser'>): ConnectionOf =>
  async (userId, provider) => {
    const row = (await ofUser(userId)).find((one) => one.provider === provider)
    return row && shownConnection(row)
  }

/** A linked account without its tokens. */
export const shownConnection = (row: LinkedAccountRow): Connection => {
  const { provider, username, avatarUrl, scopes, tokensExpireAt, ended } = row
  const { cloudId, siteName, workspaceId, workspaceName, teams } = row
  return {
    provider,
    connected: !ended,
    ...(username === undefined ? {} : { username }),
    ...(avatarUrl === undefined ? {} : { avatarUrl }),
    scopes,
    ...(tokensExpireAt === undefined ? {} : { tokenExpiry: iso(tokensExpireAt) }),
    ...(cloudId === undefined ? {} : { cloudId }),
    ...(siteName === undefined ? {} : { siteName }),
    ...(workspaceId === undefined ? {} : { workspaceId }),
    ...(workspaceName === undefined ? {} : { workspaceName }),
    ...(teams === undefined ? {} : { teams }),
  }
}
