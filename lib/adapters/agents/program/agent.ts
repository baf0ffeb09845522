import * as path from 'node:path'
import { definedFields } from '../../../core/defined-fields.ts'
import { taskFailure } from '../../../core/task-failure.ts'
import type {
  AgentAdapter,
  AgentContext,
  AgentHealth,
  AgentResult,
  AgentTask,
  MissingParts,
} from '../../../ports/agent.ts'
import type { FoundProgram, ProgramSearch } from '../programs.ts'
import type { AgentProgram } from './program.ts'

type Facts = Pick<
  AgentAdapter,
  'type' | 'name' | 'description' | 'capabilities' | 'family' | 'timeoutMs' | 'canResume'
>

/** Where the program is, and what it lacks. */
export type ProgramHost = {
  search: ProgramSearch
  /** The settings of which one gives it a model to work with; empty when it has one. */
  missingSettings?: () => readonly string[]
  /** The providers of whose models it works with one. */
  providers?: () => readonly string[]
}

type Needs = ProgramHost & {
  health: (found: FoundProgram, isFresh: boolean) => Promise<AgentHealth>
  run: (found: FoundProgram, task: AgentTask, context: AgentContext) => Promise<AgentResult>
}

/** An agent that is a third-party program. It is configured while its program and a model for it are there. */
export const createProgramAgent = (
  { name, command, install }: AgentProgram,
  facts: Facts,
  { search, missingSettings = () => [], providers, health, run }: Needs,
): AgentAdapter => {
  // The place of a program in the machine is not for users.
  const program = command.includes(path.sep)
    ? `its program ${path.basename(command)} does not exist`
    : `no ${command} on PATH`
  const notInstalled = `${name} is not installed: ${program}${install ? `. Run ${install}` : ''}`
  const missingText = (): string | undefined => {
    const settings = missingSettings()
    const parts = [
      search.found() === undefined ? notInstalled : undefined,
      settings.length > 0 ? `${name} has no model. Set ${settings.join(' or ')}` : undefined,
    ]
    return parts.filter(Boolean).join('. ') || undefined
  }
  const missing = (): MissingParts => {
    const settings = missingSettings()
    return {
      ...(search.found() === undefined && definedFields({ install })),
      ...(settings.length > 0 && { missingSettings: settings }),
    }
  }

  return {
    ...facts,
    configured: () => missingText() === undefined,
    missing,
    ...definedFields({ providers }),
    healthCheck: async ({ isFresh = false } = {}) => {
      const found = await search.look()
      const message = missingText()
      if (found === undefined || message !== undefined)
        return { healthy: false, ...definedFields({ message }) }
      return health(found, isFresh)
    },
    execute: async (task, context) => {
      const found = await search.look()
      const message = missingText()
      if (found === undefined || message !== undefined)
        throw taskFailure('unavailable', 'agent_not_configured', message ?? `${name} is gone`, false)
      return run(found, task, context)
    },
  }
}
