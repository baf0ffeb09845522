import type { Handlers } from '../http/route.ts'
import type { holdRoutes } from './contract.ts'
import type { HoldVerbs } from './service.ts'

export const holdHandlers = ({
  holdVerbs: holds,
}: {
  holdVerbs: HoldVerbs
}): Handlers<typeof holdRoutes> => ({
  listHolds: async () => ({ holds: await holds.list() }),
  removeHold: async ({ params }, { principal }) => {
    await holds.remove(principal, params.id)
    return { message: 'Waiting tasks start now' }
  },
})
