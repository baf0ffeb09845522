import * as z from 'zod'
import { cutText } from '../core/cut-text.ts'
import { issueText } from '../core/issue-text.ts'
import type { Masker } from '../core/masker.ts'
import { LONGEST_CALL_TITLE } from '../core/tool-call-limits.ts'
import type { ToolCall, ToolSpec } from '../ports/model.ts'
import type { Tool } from './tool.ts'

/** A call of a known tool with valid arguments. */
export type ParsedCall = { tool: Tool; input: Record<string, unknown>; title: string }

type MaskText = Masker['logText']

const oneLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, ' ').trim()

const issuesText = (error: z.ZodError) =>
  error.issues.map((issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`).join('; ')

/** Parses a call by its tool's schema; answers the reason when it is invalid. Unknown argument keys are dropped. */
export const parseCall = (
  tools: readonly Tool[],
  call: ToolCall,
  maskText: MaskText,
): ParsedCall | string => {
  const tool = tools.find(({ name }) => name === call.name)
  if (!tool) return `There is no tool ${JSON.stringify(cutText(call.name, 80))}.`
  const parsed = tool.input.safeParse(call.arguments ?? {}, { error: issueText })
  if (!parsed.success) return `The arguments do not fit: ${issuesText(parsed.error)}`
  const subject = cutText(tool.subject(parsed.data), 2_000)
  // Masked before the cut: half a secret would not look like one.
  const title = cutText(maskText(oneLine(`${tool.name} ${subject}`)), LONGEST_CALL_TITLE)
  return { tool, input: parsed.data, title }
}

/** One line for a person about any call, also an invalid one. */
export const callTitle = (tools: readonly Tool[], call: ToolCall, maskText: MaskText): string => {
  const parsed = parseCall(tools, call, maskText)
  return typeof parsed === 'string' ? cutText(maskText(oneLine(call.name)), 80) : parsed.title
}

export const toToolSpec = ({ name, description, input }: Tool): ToolSpec => {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: 'input' })
  return { name, description, inputSchema }
}
