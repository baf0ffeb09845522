import { prefersText } from '../core/accept.ts'
import { type Handlers, Reply } from '../http/route.ts'
import { healthRoutes } from './contract.ts'
import type { Health } from './service.ts'

export const healthHandlers = ({ health }: { health: Health }): Handlers<typeof healthRoutes> => ({
  health: () => health.simple(),
  readiness: async () => {
    const state = await health.readiness()
    return state.status === 'ready' ? state : new Reply(state, { status: 503 })
  },
  detailedHealth: async (_input, { principal }) => {
    const state = await health.detailed({ isAdmin: principal.role === 'admin' })
    return state.status === 'unhealthy' ? new Reply(state, { status: 503 }) : state
  },
  metrics: async (_input, { header }) =>
    prefersText(header('accept'))
      ? new Reply(
          { raw: await health.exposition() },
          { headers: { 'content-type': healthRoutes.metrics.alsoProduces, vary: 'Accept' } },
        )
      : health.metrics(),
})
