import type { AuthMode, GrantSession } from '../auth/schema.ts'
import { ANONYMOUS } from '../core/principal.ts'
import { admitting, type Call, type Handlers, Reply } from '../http/route.ts'
import type { Origin } from '../http/trusted-proxies.ts'
import type { ProviderStatus } from '../oauth/schema.ts'
import type { accountRoutes, userRoutes } from './contract.ts'
import type { ReadConnections, User } from './schema.ts'
import type { Accounts } from './service.ts'
import type { AccountAttempt, LoggedIn } from './sign-in.ts'

/** A verb with the caller's address, which the record of refusals names. */
export type FromAddress<Verb extends (...given: never[]) => unknown> = (
  ...given: [...Parameters<Verb>, address: string]
) => ReturnType<Verb>

type Recorded = 'logIn' | 'changePassword' | 'resetPassword'
type Needs = {
  accounts: Omit<Accounts, Recorded> & { [Verb in Recorded]: FromAddress<Accounts[Verb]> }
  authMode: () => AuthMode
  accessKey: { exists(): boolean }
  grantSession: GrantSession
  readConnections: ReadConnections
  /** Whether no account exists yet and sign-up is not closed. */
  awaitsFirst: () => Promise<boolean>
  /** May reject where the settings of the providers cannot be read. */
  providersHere: () => Promise<ProviderStatus[]>
}

export const accountHandlers = (needs: Needs): Handlers<typeof accountRoutes> => {
  const { accounts, authMode, grantSession } = needs
  const withConnections = async (user: User) => ({ ...user, ...(await needs.readConnections(user.id)) })

  /** Unreadable settings of the providers hinder no sign-in without them. */
  const readProviders = () => needs.providersHere().catch(() => undefined)

  const isFirst = async () =>
    authMode() === 'cloud' && (await needs.awaitsFirst()) ? (true as const) : undefined

  const signedOut = async () => {
    const isLocked = authMode() === 'local' && needs.accessKey.exists()
    const accessKeyRequired = isLocked ? (true as const) : undefined
    const [providers, noAccounts] = await Promise.all([readProviders(), isFirst()])
    const facts = { authMode: authMode(), accessKeyRequired, noAccounts, providers }
    return new Reply({ authenticated: false as const, ...facts }, { status: 401 })
  }

  const signedIn = async ({ user, confirm }: LoggedIn, browser: Origin, message: string) =>
    new Reply({ user, message }, { headers: await grantSession(user.id, browser, confirm) })

  const countFrom =
    (of: AccountAttempt) =>
    ({ origin }: Call) =>
      accounts.countFrom(of, origin().address)

  return {
    signup: admitting(countFrom('signup'), async ({ body }, { origin }) => {
      const user = await accounts.signUp(body)
      return new Reply({ user, message: 'Welcome' }, { headers: await grantSession(user.id, origin()) })
    }),
    login: admitting(countFrom('login'), async ({ body }, { origin }) => {
      const browser = origin()
      return signedIn(await accounts.logIn(body, browser.address), browser, 'Signed in')
    }),
    changePassword: admitting(countFrom('changePassword'), async ({ body }, { principal, origin }) => {
      await accounts.changePassword(principal, body, origin().address)
      return { message: 'Password changed. All other sessions are revoked' }
    }),
    me: async (_input, { principal }) => {
      if (principal.userId === ANONYMOUS.userId) return signedOut()
      const user = await accounts.findUser(principal.userId)
      if (user === undefined) return signedOut()
      const [me, providers] = await Promise.all([withConnections(user), readProviders()])
      return { authenticated: true as const, authMode: authMode(), user: me, providers }
    },
    changeMe: async ({ body }, { principal }) => ({
      user: await withConnections(await accounts.change(principal.userId, body)),
      message: 'Profile changed',
    }),
    resetPassword: admitting(countFrom('resetPassword'), async ({ body }, { origin }) => {
      const browser = origin()
      const login = await accounts.resetPassword(body, browser.address)
      return signedIn(login, browser, 'Password reset. All other sessions are revoked')
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
  createResetCode: ({ params }, { principal }) => accounts.createResetCode(principal, params.id),
})
