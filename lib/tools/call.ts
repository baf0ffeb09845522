import * as z from 'zod'
import { issueText } from '../core/issue-text.ts'
import type { Masker } from '../core/masker.ts'
import type { ToolCall, ToolSpec } from '../ports/model.ts'
import type { Tool } from './tool.ts'

/** A call whose tool is known and whose arguments fit. */
export type ParsedCall = { tool: Tool; input: Record<string, unknown>; title: string }

type MaskText = Masker['logText']

const MOST_TITLE = 200

const oneLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, ' ').trim()

const issuesOf = (error: z.ZodError) =>
  error.issues.map((issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`).join('; ')

/** The call read against its tool's schema, or the reason why it cannot be. Unknown argument keys are dropped. */
export const parseCall = (
  tools: readonly Tool[],
  call: ToolCall,
  maskText: MaskText,
): ParsedCall | string => {
  const tool = tools.find(({ name }) => name === call.name)
  if (!tool) return `There is no tool ${JSON.stringify(call.name.slice(0, 80))}.`
  const parsed = tool.input.safeParse(call.arguments ?? {}, { error: issueText })
  if (!parsed.success) return `The arguments do not fit: ${issuesOf(parsed.error)}`
  const subject = tool.subject(parsed.data).slice(0, 2_000)
  // Masked before it is cut, or half a secret would no longer look like one.
  const title = maskText(oneLine(`${tool.name} ${subject}`)).slice(0, MOST_TITLE)
  return { tool, input: parsed.data, title }
}

/** A line for a person about any call, also one that cannot be read. */
export const titleOf = (tools: readonly Tool[], call: ToolCall, maskText: MaskText): string => {
  const parsed = parseCall(tools, call, maskText)
  return typeof parsed === 'string' ? maskText(oneLine(call.name)).slice(0, 80) : parsed.title
}

/** The tool as the model sees it. */
export const specOf = ({ name, description, input }: Tool): ToolSpec => {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: 'input' })
  return { name, description, inputSchema }
}
