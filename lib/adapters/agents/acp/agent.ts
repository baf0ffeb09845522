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

  const shakeHands = async (found: FoundProgram): Promise<AgentHealth> => {
    const folder = `check_${preset.type}`
    const workspace = await needs.workspaces.create(folder)
    try {
      const { readVersion } = await loadSession()
      const signal = new AbortController().signal
      const version = await readVersion(startProgram(preset, commands, { found, workspace, signal }), clock)
      return { healthy: true, ...definedFields({ version }) }
    } finally {
      await needs.workspaces.remove(folder)
    }
  }

  let last: { at: number; health: Promise<AgentHealth> } | undefined
  const lastHealth = (found: FoundProgram): Promise<AgentHealth> => {
    if (last === undefined || clock.monotonic() - last.at > HEALTH_MS) {
      const health = shakeHands(found).catch((thrown) => ({ healthy: false, message: errorMessage(thrown) }))
      last = { at: clock.monotonic(), health }
    }
    return last.health
  }

  const stillStarting = () =>
    new Promise<AgentHealth>((resolve) => {
      const message = `${name} did not start within ${durationText(LONGEST_LOOK_MS)}; ask again in a minute`
      clock.after(LONGEST_LOOK_MS, () => resolve({ healthy: false, message }))
    })

  return createProgramAgent(preset, acpFacts(preset), {
    ...needs,
    health: (found) => Promise.race([lastHealth(found), stillStarting()]),
    run: createRun(preset, needs),
  })
}
