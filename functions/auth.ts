import { userRoutes } from '../lib/accounts/contract.ts'
import { userHandlers } from '../lib/accounts/handlers.ts'
import { everyAuthHandler, everyAuthRoute } from '../lib/api/auth.ts'
import { lazyHandlers, serveGroup } from '../lib/app/cloud-function.ts'
import { openGroup } from '../lib/app/cloud-groups.ts'
import { openSignInPorts } from '../lib/app/cloud-ports.ts'
import { openedWithSecrets } from '../lib/app/cloud-secrets.ts'
import { composeDisconnect, composeSignIn } from '../lib/composition/accounts.ts'
import type { Config } from '../lib/config/config.ts'
import { disconnectRoutes } from '../lib/integrations/contract.ts'
import { disconnectHandlers } from '../lib/integrations/handlers.ts'
import { oauthRoutes } from '../lib/oauth/contract.ts'
import { oauthHandlers } from '../lib/oauth/handlers.ts'

export const handler = serveGroup(
  { ...everyAuthRoute, ...userRoutes, ...disconnectRoutes },
  openGroup(({ auth, ports, config }) => {
    const openSignIn = (known: Config) => ({
      ...auth,
      ...composeSignIn(auth, openSignInPorts(known, ports), known),
    })
    const signIn = openSignIn(config)
    // Most sign-ins need no provider, and do not wait for the providers' settings.
    const withProviders = openedWithSecrets(openSignIn, { settings: () => config })
    const users = userHandlers(signIn)
    const usersElsewhere = lazyHandlers(userRoutes, async () => userHandlers(await withProviders()))
    return {
      ...everyAuthHandler({
        ...signIn,
        providersHere: async () => (await withProviders()).providersHere(),
      }),
      ...users,
      // Only unlinking revokes tokens; unreadable secrets do not prevent the disabling of an account.
      changeUser: (input, call) => (input.body.unlink ? usersElsewhere : users).changeUser(input, call),
      ...lazyHandlers(disconnectRoutes, async () =>
        disconnectHandlers({ disconnect: composeDisconnect(auth, await withProviders()) }),
      ),
      ...lazyHandlers(oauthRoutes, async () => oauthHandlers(await withProviders())),
    }
  }),
)
