import type { AgentAdapter } from '../../../ports/agent.ts'
import { createProgramAgent, type ProgramHost } from '../program/agent.ts'
import { type CommandProgram, commandFacts } from './catalog.ts'
import { type CommandNeeds, createCommandRun } from './run.ts'

/** An agent that is a command of somebody else. It is healthy while its program is there: it is not started to find out. */
export const createCommandAgent = (
  command: CommandProgram,
  needs: CommandNeeds & ProgramHost,
): AgentAdapter =>
  createProgramAgent(command, commandFacts(command), {
    ...needs,
    health: async () => ({ healthy: true }),
    run: createCommandRun(command, needs),
  })
