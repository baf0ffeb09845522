import { userRoutes } from '../lib/accounts/contract.ts'
import { userHandlers } from '../lib/accounts/handlers.ts'
import { everyAuthHandler, everyAuthRoute } from '../lib/api/auth.ts'
import { serveGroup } from '../lib/app/cloud-http.ts'
import { openPlain } from '../lib/app/cloud-plain.ts'
import { withSecrets } from '../lib/app/cloud-secrets.ts'
import { openSignIn } from '../lib/app/cloud-sign-in.ts'
import { lazyHandlers } from '../lib/app/lazy-handlers.ts'
import { oauthRoutes } from '../lib/oauth/contract.ts'
import { oauthHandlers } from '../lib/oauth/handlers.ts'

export const handler = serveGroup(
  { ...everyAuthRoute, ...userRoutes },
  openPlain((given) => {
    const signIn = openSignIn(given)
    // Most who come in need no provider, and do not wait for what is known of them.
    const withProviders = async () => openSignIn({ ...given, config: await withSecrets(given.config) })
    const users = userHandlers(signIn)
    const usersElsewhere = lazyHandlers(userRoutes, async () => userHandlers(await withProviders()))
    return {
      ...everyAuthHandler(signIn),
      ...users,
      // Only who unlinks has tokens to revoke; nobody is disabled later because secrets cannot be read.
      changeUser: (input, call) => (input.body.unlink ? usersElsewhere : users).changeUser(input, call),
      ...lazyHandlers(oauthRoutes, async () => oauthHandlers(await withProviders())),
    }
  }),
)
