import type { ReadConnections } from '../accounts/schema.ts'
import { definedFields } from '../core/defined-fields.ts'
import { errorMessage } from '../core/errors.ts'
import { iso } from '../core/time.ts'
import type { Log } from '../ports/log.ts'
import type { LinkedAccounts } from './linked-accounts.ts'
import type { Providers } from './providers.ts'
import type { LinkedAccountRow } from './rows.ts'
import { type Connection, type FindConnection, PROVIDERS, type Unlink } from './schema.ts'

/** The account that a user linked last with a provider. It needs no key: the tokens stay sealed. */
export const createFindConnection =
  ({ ofUser }: Pick<LinkedAccounts, 'ofUser'>): FindConnection =>
  async (userId, provider) => {
    const row = (await ofUser(userId)).find((one) => one.provider === provider)
    return row && toConnection(row)
  }

const toConnection = (row: LinkedAccountRow): Connection => {
  const { provider, username, avatarUrl, scopes, tokensExpireAt, ended } = row
  const { cloudId, siteName, workspaceId, workspaceName, teams } = row
  return {
    provider,
    connected: !ended,
    ...definedFields({ username, avatarUrl }),
    scopes,
    ...(tokensExpireAt === undefined ? {} : { tokenExpiry: iso(tokensExpireAt) }),
    ...definedFields({ cloudId, siteName, workspaceId, workspaceName, teams }),
  }
}

type Needs = { accounts: LinkedAccounts; providers: Providers; log: Log }

/** The linked accounts of a user, for the rest of the service. */
export const createConnections = ({ accounts, providers, log }: Needs) => {
  const readConnections: ReadConnections = async (userId) => {
    const rows = await accounts.ofUser(userId)
    return {
      connectedAccounts: PROVIDERS.filter((name) => rows.some(({ provider }) => provider === name)),
      hasCodeHostToken: rows.some(({ provider, tokens }) => provider === 'codehost' && tokens !== undefined),
    }
  }

  const revoke = async (row: LinkedAccountRow) => {
    try {
      const tokens = await accounts.openTokens(row)
      if (tokens) await providers.get(row.provider)?.revoke?.(tokens)
    } catch (thrown) {
      const { provider, userId } = row
      log.warn({ provider, userId, reason: errorMessage(thrown) }, 'tokens were not revoked at the provider')
    }
  }

  const unlink: Unlink = async (userId, names) => {
    const forgotten: Connection[] = []
    for (const row of await accounts.ofUser(userId)) {
      if (!names.includes(row.provider)) continue
      await revoke(row)
      if (await accounts.remove(row)) forgotten.push(toConnection(row))
    }
    return forgotten
  }

  return { readConnections, findConnection: createFindConnection(accounts), unlink }
}
