import type { Handlers } from '../http/route.ts'
import type { tokenRoutes } from './contract.ts'
import type { Tokens } from './service.ts'

export const tokenHandlers = ({ tokens }: { tokens: Tokens }): Handlers<typeof tokenRoutes> => ({
  createToken: ({ body }, { principal }) => tokens.create(principal, body),
  listTokens: ({ query }, { principal }) => tokens.list(principal, query),
  revokeToken: async ({ params }, { principal }) => {
    await tokens.revoke(principal, params.id)
    return { message: 'Token revoked' }
  },
})
