import type { AuthMode, GrantSession } from '../auth/schema.ts'
import { ANONYMOUS } from '../core/principal.ts'
import { type Handlers, Reply } from '../http/route.ts'
import type { accountRoutes, userRoutes } from './contract.ts'
import type { ConnectionsOf, User } from './schema.ts'
import type { Accounts } from './service.ts'

type Needs = {
  accounts: Accounts
  authMode: () => AuthMode
  accessKey: { exists(): boolean }
  grantSession: GrantSession
  connectionsOf: ConnectionsOf
}

export const accountHandlers = (needs: Needs): Handlers<typeof accountRoutes> => {
  const { accounts, authMode, grantSession } = needs
  const withConnections = async (user: User) => ({ ...user, ...(await needs.connectionsOf(user.id)) })

  const nobody = () => {
    const mode = authMode()
    const accessKeyRequired =
      mode === 'local' && needs.accessKey.exists() ? { accessKeyRequired: true as const } : {}
    return new Reply({ authenticated: false as const, authMode: mode, ...accessKeyRequired }, { status: 401 })
  }

  return {
    signup: async ({ body }, { origin }) => {
      const { address, isSecure } = origin()
      const user = await accounts.signUp(body, address)
      return new Reply({ user, message: 'Welcome' }, { headers: await grantSession(user.id, isSecure) })
    },
    login: async ({ body }, { origin }) => {
      const { address, isSecure } = origin()
      const user = await accounts.logIn(body, address)
      return new Reply({ user, message: 'Logged in' }, { headers: await grantSession(user.id, isSecure) })
    },
    me: async (_input, { principal }) => {
      if (principal.userId === ANONYMOUS.userId) return nobody()
      const user = await accounts.userOf(principal.userId)
      if (user === undefined) return nobody()
      return { authenticated: true as const, authMode: authMode(), user: await withConnections(user) }
    },
    changeMe: async ({ body }, { principal }) => ({
      user: await withConnections(await accounts.change(principal.userId, body)),
      message: 'Profile changed',
    }),
    createInvite: async ({ body }, { principal }) => ({
      invite: await accounts.invites.create(principal, body),
    }),
    listInvites: ({ query }) => accounts.invites.list(query),
    deleteInvite: async ({ params }, { principal }) => {
      await accounts.invites.remove(principal, params.id)
      return { message: 'Invite deleted' }
    },
  }
}

export const userHandlers = ({ accounts }: Pick<Needs, 'accounts'>): Handlers<typeof userRoutes> => ({
  listUsers: ({ query }) => accounts.list(query),
  changeUser: async ({ params, body }, { principal }) => ({
    user: await accounts.changeUser(principal, params.id, body),
    message: 'User changed',
  }),
})
