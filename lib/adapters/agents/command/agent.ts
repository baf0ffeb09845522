import type { AgentAdapter } from '../../../ports/agent.ts'
import { createProgramAgent, type ProgramHost } from '../program/agent.ts'
import { type CommandProgram, commandFacts } from './catalog.ts'
import { type CommandNeeds, createCommandRun } from './run.ts'

/** An agent that is a third-party command. It is healthy while its program exists: the check does not start it. */
export const createCommandAgent = (
  command: CommandProgram,
  needs: CommandNeeds & ProgramHost,
): AgentAdapter =>
  createProgramAgent(command, commandFacts(command), {
    ...needs,
    health: async () => ({ healthy: true }),
    run: createCommandRun(command, needs),
  })
