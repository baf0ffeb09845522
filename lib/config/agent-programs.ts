import * as z from 'zod'
import { brokeredKinds } from '../core/brokered-kinds.ts'
import { issueText } from '../core/issue-text.ts'
import { text } from './values.ts'

/** A program that is an agent, as an operator describes it. */
const AgentProgram = z.strictObject({
  type: z
    .string()
    .regex(
      /^[a-z][a-z0-9-]{0,49}$/,
      'must be at most 50 lowercase letters, digits and hyphens, and start with a letter',
    ),
  name: text.max(100).optional(),
  command: text.max(1_000),
  args: z.array(z.string().max(10_000)).max(100).optional(),
  env: z
    .record(
      z.string().regex(/^[A-Za-z_]\w*$/, 'must be the name of an environment variable'),
      z.string().max(10_000),
    )
    .optional(),
  /** Whose models it uses with the key of the service; `none` for one with a credential of its own. */
  provider: z.enum([...brokeredKinds, 'none']).optional(),
  reads: z.array(z.string().startsWith('/', 'must be an absolute path')).max(100).optional(),
})

/** A JSON list of such programs, each type once. */
const programs = <Program extends z.ZodType<{ type: string }>>(program: Program) =>
  z
    .string()
    .default('')
    .transform((given, context): z.output<Program>[] => {
      let list: unknown
      try {
        list = JSON.parse(given || '[]')
      } catch {
        context.addIssue({ code: 'custom', message: 'must be a JSON list of objects with type and command' })
        return z.NEVER
      }
      const parsed = z.array(program).max(50).safeParse(list, { error: issueText })
      for (const { path, message } of parsed.error?.issues ?? [])
        context.addIssue({ code: 'custom', message: `${path.join('.')}: ${message}` })
      const types = (parsed.data ?? []).map(({ type }) => type)
      const twice = types.find((type, at) => types.indexOf(type) !== at)
      if (twice !== undefined)
        context.addIssue({ code: 'custom', message: `two agents are of type ${twice}` })
      return parsed.data ?? []
    })

const name = text.max(100)
const variables = AgentProgram.shape.env
const McpServer = z.union(
  [
    z.strictObject({
      name,
      command: z.string().startsWith('/', 'must be an absolute path').max(1_000),
      args: AgentProgram.shape.args,
      env: variables,
    }),
    z.strictObject({
      name,
      url: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }),
      headers: z.record(z.string().max(100), z.string().max(10_000)).optional(),
    }),
  ],
  { error: 'must have name and command, or name and url' },
)

/** Programs that speak the Agent Client Protocol. */
export const acpAgents = programs(AgentProgram.extend({ mcpServers: z.array(McpServer).max(20).optional() }))

const hasPlace = (args: readonly string[]) => args.some((arg) => /\{prompt(?:File)?\}/.test(arg))

/** Programs that are given their task by an argument, and what their output is read as. */
export const commandAgents = programs(
  AgentProgram.extend({
    args: AgentProgram.shape.args
      .unwrap()
      .refine(hasPlace, 'must contain {prompt} or {promptFile} in place of the task'),
    parse: z.enum(['text', 'claude', 'codex']),
  }),
)
