import { definedFields } from '../../../core/defined-fields.ts'
import { errorMessage } from '../../../core/errors.ts'
import { durationText } from '../../../core/time.ts'
import type { AgentAdapter, AgentHealth } from '../../../ports/agent.ts'
import { createProgramAgent, type ProgramHost } from '../program/agent.ts'
import { startProgram } from '../program/program.ts'
import type { FoundProgram } from '../programs.ts'
import { type AcpProgram, acpFacts } from './catalog.ts'
import { createRun, loadSession, type RunNeeds } from './run.ts'

type Needs = RunNeeds & ProgramHost

/** How long a handshake counts. */
const HEALTH_MS = 300_000
/** The longest that a health check waits for a handshake; a slower one is reported by a later check. */
const LONGEST_LOOK_MS = 4_000

/**
 * A third-party program that speaks the Agent Client Protocol over its standard input and output. Its
 * health is the handshake of its program, which counts for minutes.
 */
export const createAcpAgent = (preset: AcpProgram, needs: Needs): AgentAdapter => {
  const { clock, commands } = needs
  const { name } = preset

  const readVersion = async (found: FoundProgram): Promise<string | undefined> => {
    const folder = `check_${preset.type}`
    const workspace = await needs.workspaces.create(folder)
    try {
      const session = await loadSession()
      const signal = new AbortController().signal
      return await session.readVersion(startProgram(preset, commands, { found, workspace, signal }), clock)
    } finally {
      await needs.workspaces.remove(folder)
    }
  }

  const shakeHands = async (found: FoundProgram): Promise<AgentHealth> => {
    const from = clock.monotonic()
    const answer = await readVersion(found).then(
      (version) => ({ healthy: true, ...definedFields({ version }) }),
      (thrown: unknown) => ({ healthy: false, message: errorMessage(thrown) }),
    )
    return { ...answer, latencyMs: clock.monotonic() - from, checkedAt: clock.now() }
  }

  let last: { at: number; isOver: boolean; health: Promise<AgentHealth> } | undefined
  /** A handshake that is not over is joined, also by a fresh check. */
  const lastHealth = (found: FoundProgram, isFresh: boolean): Promise<AgentHealth> => {
    const isCounted = last && (!last.isOver || (!isFresh && clock.monotonic() - last.at <= HEALTH_MS))
    if (last && isCounted) return last.health
    const begun = { at: clock.monotonic(), isOver: false, health: shakeHands(found) }
    void begun.health.finally(() => {
      begun.isOver = true
    })
    last = begun
    return begun.health
  }

  const stillStarting = () =>
    new Promise<AgentHealth>((resolve) => {
      const message = `${name} did not start within ${durationText(LONGEST_LOOK_MS)}. Check again in a minute`
      clock.after(LONGEST_LOOK_MS, () => resolve({ healthy: false, message }))
    })

  return createProgramAgent(preset, acpFacts(preset), {
    ...needs,
    health: (found, isFresh) => Promise.race([lastHealth(found, isFresh), stillStarting()]),
    run: createRun(preset, needs),
  })
}
