import type { ConnectionsOf } from '../accounts/schema.ts'
import { messageOf } from '../core/errors.ts'
import type { Log } from '../ports/log.ts'
import { createConnectionOf, shownConnection } from './connection.ts'
import type { LinkedAccounts } from './linked-accounts.ts'
import type { Providers } from './providers.ts'
import type { LinkedAccountRow } from './rows.ts'
import { type Connection, PROVIDERS, type Unlink } from './schema.ts'

type Needs = { accounts: LinkedAccounts; providers: Providers; log: Log }

/** What a user's linked accounts are to the rest of the service. */
export const createConnections = ({ accounts, providers, log }: Needs) => {
  const connectionsOf: ConnectionsOf = async (userId) => {
    const rows = await accounts.ofUser(userId)
    return {
      connectedAccounts: PROVIDERS.filter((name) => rows.some(({ provider }) => provider === name)),
      hasCodeHostToken: rows.some(({ provider, tokens }) => provider === 'codehost' && tokens !== undefined),
    }
  }

  /** A provider that cannot be asked does not keep anybody from unlinking. */
  const revoke = async (row: LinkedAccountRow) => {
    try {
      const tokens = await accounts.openTokens(row)
      if (tokens) await providers.get(row.provider)?.revoke?.(tokens)
    } catch (thrown) {
      const { provider, userId } = row
      log.warn({ provider, userId, reason: messageOf(thrown) }, 'tokens were not revoked at the provider')
    }
  }

  const unlink: Unlink = async (userId, names) => {
    const forgotten: Connection[] = []
    for (const row of await accounts.ofUser(userId)) {
      if (!names.includes(row.provider)) continue
      await revoke(row)
      if (await accounts.remove(row)) forgotten.push(shownConnection(row))
    }
    return forgotten
  }

  return { connectionsOf, connectionOf: createConnectionOf(accounts), unlink }
}
