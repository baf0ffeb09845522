import { definedFields } from '../../../core/defined-fields.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Program } from '../../node/command.ts'
import { endFailure } from '../program/failures.ts'
import { startProgram } from '../program/program.ts'
import { createProgramRun, type ProgramNeeds, taskPrompt } from '../program/run.ts'
import { createRunEvents } from '../program/run-events.ts'
import { type CommandProgram, parsers } from './catalog.ts'
import { readOutput } from './output.ts'
import type { Outcome, Parser } from './parser.ts'
import { withPrompt } from './prompt.ts'

export type CommandNeeds = ProgramNeeds & { clock: Clock }

/**
 * How a program that has ended did: neither what it says nor its exit code decides alone. `wasEnded` tells that it was ended
 * after its output, so that its exit code says nothing.
 */
const judge = async (program: Program, parser: Parser, wasEnded: boolean): Promise<Outcome> => {
  const { exitCode, exceeded } = await program.ended
  const isWell = !exceeded && (wasEnded || exitCode === 0)
  const outcome = parser.end() ?? (isWell ? parser.whole?.() : undefined)
  if (outcome === undefined || exceeded) throw await endFailure(program)
  if (isWell || outcome.failure !== undefined) return outcome
  const how = exitCode === null ? 'by a signal' : `with exit code ${exitCode}`
  return { ...outcome, failure: `The agent reported success but ended ${how}`, retryable: true }
}

/** Runs tasks with a program that is given its task by an argument. */
export const createCommandRun = (command: CommandProgram, needs: CommandNeeds) =>
  createProgramRun(command, needs, ({ start, work, task, context, cost }) => {
    const { clock, commands } = needs
    const { signal, observe, progress } = context
    const { workspace } = work
    const events = createRunEvents({ observe, now: () => clock.monotonic() })
    const parser = parsers[command.parse]({ events, progress, root: workspace.root })
    let outcome: Outcome | undefined
    return {
      take: async () => {
        const args = await withPrompt(command.args, taskPrompt(task, work, context, false), workspace)
        const program = startProgram({ ...command, args }, commands, start)
        try {
          const wasEnded = await readOutput({ program, parser, clock, signal })
          events.end()
          outcome = await judge(program, parser, wasEnded)
        } finally {
          const { costUsd } = parser.end() ?? {}
          if (costUsd !== undefined) cost.state(costUsd)
        }
        const { failure, retryable } = outcome
        return { failure, retryable }
      },
      isAnswered: events.isAnswered,
      soFar: () => {
        const { answer: written, steps, toolCalls } = events.outcome()
        const { answer = written.trim(), facts } = outcome ?? parser.end() ?? {}
        const session = definedFields({ agentSession: parser.session?.() })
        return { answer, facts: { steps, toolCalls, ...session, ...facts } }
      },
    }
  })
