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
export const createConnectionStatus = ({
  findConnection,
  accountRights,
  hasWebhookSecret,
  aiTaskLabel,
}: StatusNeeds) => ({
  codehost: async (principal: Principal): Promise<CodehostStatus> => {
    const account = await findConnection(principal.userId, 'codehost')
    return {
      connected: account?.connected ?? false,
      ...present({ username: account?.username, avatarUrl: account?.avatarUrl }),
      scopes: [...(account?.scopes ?? [])],
      webhookConfigured: hasWebhookSecret,
      aiTaskLabel,
      ...accountRights(principal, 'codehost', account),
    }
  },
  trackera: async (principal: Principal): Promise<TrackeraStatus> => {
    const account = await findConnection(principal.userId, 'trackera')
    return {
      connected: account?.connected ?? false,
      ...present({ cloudId: account?.cloudId, siteName: account?.siteName }),
      scopes: [...(account?.scopes ?? [])],
      ...present({ tokenExpiry: account?.tokenExpiry }),
      ...accountRights(principal, 'trackera', account),
    }
  },
  trackerb: async (principal: Principal): Promise<TrackerbStatus> => {
    const account = await findConnection(principal.userId, 'trackerb')
    return {
      connected: account?.connected ?? false,
      ...present({ workspaceName: account?.workspaceName, workspaceId: account?.workspaceId }),
      teams: [...(account?.teams ?? [])],
      scopes: [...(account?.scopes ?? [])],
      ...accountRights(principal, 'trackerb', account),
    }
  },
})

const present = <Name extends string>(
  fields: Record<Name, string | undefined>,
): { [Field in Name]?: string } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Field in Name]?: string
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
      await audit(principal, 'account.unlink', {
        userId,
        provider,
        ...(username === undefined ? {} : { username }),
      })
  }
