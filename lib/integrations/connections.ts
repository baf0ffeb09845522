import { definedFields } from '../core/defined-fields.ts'
import type { Principal } from '../core/principal.ts'
import type { Connection, FindConnection, Unlink } from '../oauth/schema.ts'
import type { CodehostStatus, Rights, TrackeraStatus, TrackerbStatus } from './schema.ts'

type StatusNeeds = {
  findConnection: FindConnection
  accountRights: (
    principal: Principal,
    name: Integrated,
    account: Pick<Connection, 'connected' | 'scopes'> | undefined,
  ) => Rights
  hasWebhookSecret: boolean
  aiTaskLabel: string
}

export type ConnectionStatus = ReturnType<typeof createConnectionStatus>

/** The state of the caller's linked accounts. */
export const createConnectionStatus = (needs: StatusNeeds) => {
  const { hasWebhookSecret: webhookConfigured, aiTaskLabel } = needs
  const readAccount = async (principal: Principal, name: Integrated) => {
    const account = await needs.findConnection(principal.userId, name)
    const { connected = false, scopes = [] } = account ?? {}
    const rights = needs.accountRights(principal, name, account)
    return { ...account, connected, scopes: [...scopes], rights }
  }
  return {
    codehost: async (principal: Principal): Promise<CodehostStatus> => {
      const account = await readAccount(principal, 'codehost')
      const { connected, username, avatarUrl, scopes, rights } = account
      return { connected, username, avatarUrl, scopes, webhookConfigured, aiTaskLabel, ...rights }
    },
    trackera: async (principal: Principal): Promise<TrackeraStatus> => {
      const account = await readAccount(principal, 'trackera')
      const { connected, cloudId, siteName, scopes, tokenExpiry, rights } = account
      return { connected, cloudId, siteName, scopes, tokenExpiry, ...rights }
    },
    trackerb: async (principal: Principal): Promise<TrackerbStatus> => {
      const account = await readAccount(principal, 'trackerb')
      const { connected, workspaceName, workspaceId, teams = [], scopes, rights } = account
      return { connected, workspaceName, workspaceId, teams: [...teams], scopes, ...rights }
    },
  }
}

/** The providers of integrations; an issuer of OpenID Connect is for sign-in only. */
export type Integrated = 'codehost' | 'trackera' | 'trackerb'

type DisconnectNeeds = {
  unlink: Unlink
  audit: (principal: Principal, action: string, details: object) => Promise<void>
}

export type Disconnect = ReturnType<typeof createDisconnect>

/** Revokes the caller's tokens, if the provider supports it, and removes the account. No linked account is no error. */
export const createDisconnect =
  ({ unlink, audit }: DisconnectNeeds) =>
  async (principal: Principal, from: Integrated): Promise<void> => {
    const { userId } = principal
    for (const { provider, username } of await unlink(userId, [from]))
      await audit(principal, 'account.unlink', { userId, provider, ...definedFields({ username }) })
  }
