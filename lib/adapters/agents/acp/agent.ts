import { definedFields } from '../../../core/defined-fields.ts'
import { errorMessage } from '../../../core/errors.ts'
import { taskFailure } from '../../../core/task-failure.ts'
import { durationText } from '../../../core/time.ts'
import type { AgentAdapter, AgentHealth } from '../../../ports/agent.ts'
import type { FoundProgram, ProgramSearch } from '../programs.ts'
import { type AcpProgram, acpFacts } from './catalog.ts'
import { createRun, loadSession, type RunNeeds, startProgram } from './run.ts'

type Needs = RunNeeds & {
  search: ProgramSearch
  /** Why it has no model to work with, in words for an operator; undefined when it has one. */
  withoutModel?: () => string | undefined
}

/** How long a handshake counts. */
const HEALTH_MS = 300_000
/** Some programs take longer for their first start; the answer is there when somebody asks again. */
const LONGEST_LOOK_MS = 4_000

/** An agent that is a program of somebody else and speaks the Agent Client Protocol over its standard input and output. */
export const createAcpAgent = (preset: AcpProgram, needs: Needs): AgentAdapter => {
  const { clock, search, withoutModel } = needs
  const { name, command, install } = preset
  const run = createRun(preset, needs)

  const missing = (): string | undefined =>
    search.found() === undefined
      ? `${name} is not installed: no ${command} on PATH${install ? `; run ${install}` : ''}`
      : withoutModel?.()

  const shakeHands = async (found: FoundProgram): Promise<AgentHealth> => {
    const folder = `check_${preset.type}`
    const workspace = await needs.workspaces.create(folder)
    try {
      const { readVersion } = await loadSession()
      const signal = new AbortController().signal
      const version = await readVersion(startProgram(preset, needs, { found, workspace, signal }), clock)
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

  return {
    ...acpFacts(preset),
    ...definedFields({ install: preset.install }),
    configured: () => missing() === undefined,
    /** The handshake of its program, which counts for minutes. */
    healthCheck: async () => {
      const found = await search.look()
      const message = missing()
      if (found === undefined || message !== undefined)
        return { healthy: false, ...definedFields({ message }) }
      return Promise.race([lastHealth(found), stillStarting()])
    },
    execute: async (task, context) => {
      const found = await search.look()
      const message = missing()
      if (found === undefined || message !== undefined)
        throw taskFailure('unavailable', 'agent_not_configured', message ?? `${name} is gone`, false)
      return run(found, task, context)
    },
  }
}
