import type * as z from 'zod'
import type { SecurityMode } from '../core/security-mode.ts'
import type { Workspace } from '../ports/workspace.ts'
import type { Risk } from './schema.ts'

type ToolContext = { workspace: Workspace; userId: string; mode: SecurityMode; signal: AbortSignal }
export type ToolOutput = { content: string; failed?: boolean }

/**
 * A tool as data. `paths` and `words` say which of the arguments are paths and which are words of a command: the
 * guards check those, so a tool that leaves one out is unguarded there. `run` may throw a Problem, whose message the
 * model reads.
 */
export type Tool<Schema extends z.ZodObject = z.ZodObject> = {
  name: string
  description: string
  input: Schema
  risk: Risk
  paths?(input: z.output<Schema>): readonly string[]
  words?(input: z.output<Schema>): readonly string[]
  /** What the call is about, for a person: a path, a command line; never contents. */
  subject(input: z.output<Schema>): string
  run(input: z.output<Schema>, context: ToolContext): Promise<ToolOutput>
}

/** Declares a tool; the input's type follows from its schema. */
export const defineTool = <Schema extends z.ZodObject>(tool: Tool<Schema>): Tool<Schema> => tool
