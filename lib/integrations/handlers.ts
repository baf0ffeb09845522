import type { Principal } from '../core/principal.ts'
import type { Handlers } from '../http/route.ts'
import type { ConnectionStatus, Disconnect, Integrated } from './connections.ts'
import type { connectionRoutes, disconnectRoutes, integrationRoutes, reachableRoutes } from './contract.ts'
import type { Reachable } from './reachable.ts'
import type { WebSearch } from './web-search.ts'

type Needs = { webSearch: Pick<WebSearch, 'read' | 'change'> }

export const integrationHandlers = ({ webSearch }: Needs): Handlers<typeof integrationRoutes> => ({
  getWebSearch: () => webSearch.read(),
  changeWebSearch: async ({ body }, { principal }) => ({
    message: 'Web search changed',
    status: await webSearch.change(principal, body),
  }),
})

type ConnectionNeeds = { connectionStatus: ConnectionStatus }

export const connectionHandlers = (needs: ConnectionNeeds): Handlers<typeof connectionRoutes> => ({
  getCodehostConnection: (_input, { principal }) => needs.connectionStatus.codehost(principal),
  getTrackeraConnection: (_input, { principal }) => needs.connectionStatus.trackera(principal),
  getTrackerbConnection: (_input, { principal }) => needs.connectionStatus.trackerb(principal),
})

type ReachableNeeds = { reachable: Reachable }

export const reachableHandlers = ({ reachable }: ReachableNeeds): Handlers<typeof reachableRoutes> => ({
  listReachableRepositories: async (_input, { principal }) => ({
    repositories: await reachable.repositories(principal),
  }),
  listReachableBranches: async ({ query }, { principal }) => ({
    branches: await reachable.branches(principal, query.repository),
  }),
})

type DisconnectNeeds = { disconnect: Disconnect }

export const disconnectHandlers = (needs: DisconnectNeeds): Handlers<typeof disconnectRoutes> => {
  const from =
    (place: Integrated) =>
    async (_input: unknown, { principal }: { principal: Principal }) => {
      await needs.disconnect(principal, place)
      return { message: 'Account unlinked' }
    }
  return {
    disconnectCodehost: from('codehost'),
    disconnectTrackera: from('trackera'),
    disconnectTrackerb: from('trackerb'),
  }
}
