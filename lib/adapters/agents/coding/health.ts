import { messageOf } from '../../../core/errors.ts'
import type { AgentHealth } from '../../../ports/agent.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Git } from '../../../ports/git.ts'
import type { Models } from '../../../ports/model.ts'

type Needs = { models: Models; git: Git; clock: Clock }

const LIMIT_MS = 5_000

/** Whether a task could run now: the default model's provider answers and git is there. Never throws. */
export const createHealthCheck = ({ models, git, clock }: Needs) => {
  const modelHealth = async (): Promise<AgentHealth> => {
    try {
      return await models.health(models.resolve({}).provider)
    } catch (thrown) {
      return { healthy: false, message: messageOf(thrown) }
    }
  }

  const gitHealth = async (): Promise<AgentHealth> => {
    const isThere = await git.isThere(LIMIT_MS)
    return isThere ? { healthy: true } : { healthy: false, message: 'git is not installed' }
  }

  return async (): Promise<AgentHealth> => {
    const from = clock.monotonic()
    const [model, program] = await Promise.all([modelHealth(), gitHealth()])
    const latencyMs = clock.monotonic() - from
    const message = [model.message, program.message].filter(Boolean).join('; ')
    return { healthy: model.healthy && program.healthy, latencyMs, ...(message && { message }) }
  }
}
