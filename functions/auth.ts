import { userRoutes } from '../lib/accounts/contract.ts'
import { userHandlers } from '../lib/accounts/handlers.ts'
import { everyAuthHandler, everyAuthRoute } from '../lib/api/auth.ts'
import { serveGroup } from '../lib/app/cloud-http.ts'
import { openPlain } from '../lib/app/cloud-plain.ts'
import { withSecrets } from '../lib/app/cloud-secrets.ts'
import { openSignIn } from '../lib/app/cloud-sign-in.ts'
import { lazyHandlers } from '../lib/app/lazy-handlers.ts'
import { disconnectRoutes } from '../lib/integrations/contract.ts'
import { disconnectHandlers } from '../lib/integrations/handlers.ts'
import { joinDisconnect } from '../lib/join/integrations.ts'
import { oauthRoutes } from '../lib/oauth/contract.ts'
import { oauthHandlers } from '../lib/oauth/handlers.ts'

export const handler = serveGroup(
  { ...everyAuthRoute, ...userRoutes, ...disconnectRoutes },
  openPlain((given) => {
    const signIn = openSignIn(given)
    // Most who come in need no provider, and do not wait for what is known of them.
    const withProviders = async () => openSignIn({ ...given, config: await withSecrets(given.config) })
    const users = userHandlers(signIn)
    const usersElsewhere = lazyHandlers(userRoutes, async () => userHandlers(await withProviders()))
    return {
      ...everyAuthHandler(signIn),
      ...users,
      // Only who unlinks has tokens to revoke; unreadable secrets do not keep an account from being disabled.
      changeUser: (input, call) => (input.body.unlink ? usersElsewhere : users).changeUser(input, call),
      ...lazyHandlers(disconnectRoutes, async () =>
        disconnectHandlers({ disconnect: joinDisconnect(given.entry, await withProviders()) }),
      ),
      ...lazyHandlers(oauthRoutes, async () => oauthHandlers(await withProviders())),
    }
  }),
)
