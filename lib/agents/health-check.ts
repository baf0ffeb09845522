import { messageOf, Problem } from '../core/errors.ts'
import type { Masker } from '../core/masker.ts'
import type { AgentAdapter, AgentHealth } from '../ports/agent.ts'
import type { Breakers } from '../ports/breaker.ts'
import type { Clock } from '../ports/clock.ts'

const LONGEST_MS = 5_000

type Needs = { breakers: Breakers; clock: Clock; masker: Masker }

/**
 * Asks an adapter for its health, five seconds at most, behind a breaker of its own: an adapter that keeps failing
 * to answer is left alone for a while. Never rejects.
 */
export const createHealthCheck = ({ breakers, clock, masker }: Needs) => {
  const ask = (agent: AgentAdapter) =>
    breakers.of(`agent:${agent.type}`).run(() => within(LONGEST_MS, clock, () => answerOf(agent, masker)))

  return async (agent: AgentAdapter): Promise<AgentHealth> => {
    const startedAt = clock.monotonic()
    try {
      const health = await ask(agent)
      const latencyMs = Math.round(health.latencyMs ?? clock.monotonic() - startedAt)
      return { ...health, healthy: health.healthy === true, latencyMs }
    } catch (thrown) {
      return { healthy: false, message: messageOf(thrown, 300) }
    }
  }
}

const answerOf = async (agent: AgentAdapter, { text }: Masker): Promise<AgentHealth> => {
  try {
    return await agent.healthCheck()
  } catch (cause) {
    throw new Problem('unavailable', 'health_check_failed', messageOf(cause, 300, text), { cause })
  }
}

const within = <T>(mostMs: number, clock: Clock, call: () => Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const cancel = clock.after(mostMs, () =>
      reject(
        new Problem(
          'unavailable',
          'health_check_timeout',
          `No answer to the health check within ${mostMs} ms`,
        ),
      ),
    )
    Promise.resolve().then(call).then(resolve, reject).finally(cancel)
  })
