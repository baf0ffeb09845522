import { cutText } from '../core/cut-text.ts'
import { type Handlers, Reply } from '../http/route.ts'
import { healthRoutes } from './contract.ts'
import type { Health } from './service.ts'

/** Whether text is preferred to JSON (RFC 9110, section 12.5.1); not if equal, or if malformed. */
export const prefersText = (accept: string | undefined): boolean => {
  const ranges = cutText(accept ?? '*/*', 1_000)
    .split(',')
    .map(parseRange)
  return acceptWeight(ranges, 'text', 'plain') > acceptWeight(ranges, 'application', 'json')
}

type Range = { type: string; weight: number }

const parseRange = (text: string): Range => {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  return { type, weight: Number(parameters.find((part) => part.startsWith('q='))?.slice(2) ?? 1) }
}

const acceptWeight = (ranges: readonly Range[], type: string, subtype: string): number => {
  const names = [`${type}/${subtype}`, `${type}/*`, '*/*']
  const range = names
    .map((name) => ranges.find((candidate) => candidate.type === name))
    .find((candidate) => candidate !== undefined)
  return range?.weight ?? 0
}

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
