import type { Handlers } from '../http/route.ts'
import type { modelKeyRoutes } from './contract.ts'
import type { ModelKeys } from './service.ts'

type Needs = { modelKeys: ModelKeys }

export const modelKeyHandlers = ({ modelKeys }: Needs): Handlers<typeof modelKeyRoutes> => ({
  listModelKeys: async () => ({ keys: await modelKeys.list() }),
  setModelKey: async ({ params, body }, { principal }) => ({
    message: 'Key stored',
    key: await modelKeys.set(principal, params.provider, body.apiKey),
  }),
  removeModelKey: async ({ params }, { principal }) => ({
    message: 'Key removed',
    key: await modelKeys.remove(principal, params.provider),
  }),
  checkModelKey: ({ params, body }) => modelKeys.check(params.provider, body.apiKey),
})
