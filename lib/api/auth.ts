import { accountRoutes } from '../accounts/contract.ts'
import { accountHandlers } from '../accounts/handlers.ts'
import { authRoutes } from '../auth/contract.ts'
import { authHandlers } from '../auth/handlers.ts'
import type { People } from '../composition/people.ts'
import type { Handlers } from '../http/route.ts'
import { oauthRoutes } from '../oauth/contract.ts'
import { oauthHandlers } from '../oauth/handlers.ts'

/** The routes under `/api/auth`, of several domains; one function serves them. */
export const everyAuthRoute = { ...authRoutes, ...accountRoutes, ...oauthRoutes } as const

export const everyAuthHandler = (domains: People): Handlers<typeof everyAuthRoute> => ({
  ...authHandlers(domains),
  ...accountHandlers(domains),
  ...oauthHandlers(domains),
})
