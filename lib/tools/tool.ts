import type * as z from 'zod'
import type { Question } from '../core/question.ts'
import type { SecurityMode } from '../core/security-mode.ts'
import type { Workspace } from '../ports/workspace.ts'
import type { Risk } from './schema.ts'

type ToolContext = { workspace: Workspace; userId: string; mode: SecurityMode; signal: AbortSignal }
/** A `question` ends the turn of the agent. */
export type ToolOutput = { content: string; failed?: boolean; question?: Question }

/**
 * A tool as data. `paths` and `words` name the arguments that are paths and words of a command: the guards check these,
 * so an argument that a tool omits there is unguarded. `run` may throw a Problem, whose message the model reads.
 */
export type Tool<Schema extends z.ZodObject = z.ZodObject> = {
  name: string
  description: string
  input: Schema
  risk: Risk
  /** Each security mode and the rate limit allow it, for a tool that touches nothing. The policy may block it by name. */
  isInEveryMode?: true
  paths?(input: z.output<Schema>): readonly string[]
  words?(input: z.output<Schema>): readonly string[]
  /**
   * Throws the Problem with which `run` would refuse the call also after an approval: no person is asked about such a call.
   * It changes nothing, and sends nothing: what a model read may be in the arguments.
   */
  refuse?(input: z.output<Schema>, context: Pick<ToolContext, 'workspace'>): Promise<void> | void
  /** The subject of the call for people: a path or a command line, never contents. */
  subject(input: z.output<Schema>): string
  run(input: z.output<Schema>, context: ToolContext): Promise<ToolOutput>
}

/** Declares a tool; the input's type follows from its schema. */
export const defineTool = <Schema extends z.ZodObject>(tool: Tool<Schema>): Tool<Schema> => tool
