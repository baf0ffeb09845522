import { userRoutes } from '../lib/accounts/contract.ts'
import { userHandlers } from '../lib/accounts/handlers.ts'
import { everyAuthHandler, everyAuthRoute } from '../lib/api/auth.ts'
import { servePeople } from '../lib/app/cloud-people.ts'
import { openedWithSecrets } from '../lib/app/cloud-secrets.ts'
import { forwardedVerbs } from '../lib/app/forwarded-verbs.ts'
import { openOutside } from '../lib/app/outside.ts'
import { createPeople } from '../lib/composition/people.ts'
import { disconnectRoutes, reachableRoutes } from '../lib/integrations/contract.ts'
import { disconnectHandlers, reachableHandlers } from '../lib/integrations/handlers.ts'
import { oauthRoutes } from '../lib/oauth/contract.ts'
import { oauthHandlers } from '../lib/oauth/handlers.ts'

const routes = { ...everyAuthRoute, ...userRoutes, ...disconnectRoutes, ...reachableRoutes }
const withProviders = { ...oauthRoutes, ...userRoutes, ...disconnectRoutes, ...reachableRoutes }

export const handler = servePeople(routes, (people, { ports }) => {
  // Most sign-ins need no provider, and do not wait for the providers' settings.
  const opened = openedWithSecrets((config) =>
    createPeople(people, { ...ports, codeHostLists: openOutside(config, ports).codeHostLists }, config),
  )
  const { changeUser, ...elsewhere } = forwardedVerbs(withProviders, async () => {
    const known = await opened()
    return {
      ...oauthHandlers(known),
      ...userHandlers(known),
      ...disconnectHandlers(known),
      ...reachableHandlers(known),
    }
  })
  const users = userHandlers(people)
  return {
    ...everyAuthHandler({ ...people, providersHere: async () => (await opened()).providersHere() }),
    ...elsewhere,
    ...users,
    // Only unlinking revokes tokens; unreadable secrets do not prevent the disabling of an account.
    changeUser: (input, call) => (input.body.unlink ? changeUser : users.changeUser)(input, call),
  }
})
