import { definedFields } from '../../../core/defined-fields.ts'
import { taskFailure } from '../../../core/task-failure.ts'
import type { AgentAdapter, AgentContext, AgentHealth, AgentResult, AgentTask } from '../../../ports/agent.ts'
import type { FoundProgram, ProgramSearch } from '../programs.ts'
import type { AgentProgram } from './program.ts'

type Facts = Pick<
  AgentAdapter,
  'type' | 'name' | 'description' | 'capabilities' | 'family' | 'timeoutMs' | 'canResume'
>

/** Where the program is, and what it lacks. */
export type ProgramHost = {
  search: ProgramSearch
  /** Why it has no model to work with, in words for an operator; undefined when it has one. */
  withoutModel?: () => string | undefined
  /** The providers of whose models it works with one. */
  providers?: () => readonly string[]
}

type Needs = ProgramHost & {
  health: (found: FoundProgram) => Promise<AgentHealth>
  run: (found: FoundProgram, task: AgentTask, context: AgentContext) => Promise<AgentResult>
}

/** An agent that is a third-party program. It is configured while its program and a model for it are there. */
export const createProgramAgent = (
  { name, command, install }: AgentProgram,
  facts: Facts,
  { search, withoutModel, providers, health, run }: Needs,
): AgentAdapter => {
  const missing = (): string | undefined =>
    search.found() === undefined
      ? `${name} is not installed: no ${command} on PATH${install ? `; run ${install}` : ''}`
      : withoutModel?.()

  return {
    ...facts,
    ...definedFields({ install }),
    configured: () => missing() === undefined,
    ...definedFields({ providers }),
    healthCheck: async () => {
      const found = await search.look()
      const message = missing()
      if (found === undefined || message !== undefined)
        return { healthy: false, ...definedFields({ message }) }
      return health(found)
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
