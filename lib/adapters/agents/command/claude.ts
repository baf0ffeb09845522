import * as z from 'zod'
import { definedFields } from '../../../core/defined-fields.ts'
import { jsonLines, type Outcome, type Parser, type ParserNeeds } from './parser.ts'

const count = z.number().nonnegative().catch(0)

const Block = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('thinking'), thinking: z.string() }),
  z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.unknown() }),
  z.object({
    type: z.literal('tool_result'),
    tool_use_id: z.string(),
    content: z.unknown(),
    is_error: z.boolean().optional(),
  }),
])
type Block = z.infer<typeof Block>

const Line = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('system'),
    subtype: z.string().optional(),
    session_id: z.string().optional(),
    model: z.string().optional(),
    attempt: z.number().optional(),
    max_retries: z.number().optional(),
    error_status: z.number().nullish(),
  }),
  z.object({
    type: z.enum(['assistant', 'user']),
    message: z.object({ content: z.array(z.unknown()).catch([]) }),
    parent_tool_use_id: z.string().nullish(),
  }),
  z.object({
    type: z.literal('result'),
    subtype: z.string(),
    is_error: z.boolean(),
    result: z.string().optional(),
    session_id: z.string().optional(),
    total_cost_usd: z.number().nonnegative().optional(),
    usage: z
      .object({
        input_tokens: count,
        cache_creation_input_tokens: count,
        cache_read_input_tokens: count,
        output_tokens: count,
      })
      .optional(),
    permission_denials: z.array(z.object({ tool_name: z.string(), tool_input: z.unknown() })).catch([]),
    errors: z.array(z.string()).catch([]),
  }),
])
type Line = z.infer<typeof Line>
type SystemLine = Extract<Line, { type: 'system' }>
type MessageLine = Extract<Line, { type: 'assistant' | 'user' }>
type Result = Extract<Line, { type: 'result' }>

/** Inputs of its tools that tell people what a call is about. */
const SUBJECT_FIELDS = [
  'file_path',
  'notebook_path',
  'path',
  'command',
  'pattern',
  'url',
  'query',
  'description',
]

const callTitle = (name: string, input: unknown, root: string): string => {
  const fields = Object(input) as Readonly<Record<string, unknown>>
  const subject = SUBJECT_FIELDS.map((field) => fields[field]).find((value) => typeof value === 'string')
  return subject === undefined ? name : `${name} ${String(subject).replaceAll(`${root}/`, '')}`
}

const resultText = (content: unknown): string => {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((part: { type?: unknown; text?: unknown }) =>
      typeof part?.text === 'string' ? part.text : `[${part?.type}]`,
    )
    .join('\n')
}

const usageFacts = ({ usage }: Result) => {
  if (usage === undefined) return undefined
  const promptTokens = usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens
  const completionTokens = usage.output_tokens
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens }
}

/** Its limits are no accident: another attempt would end there again. */
const limits: Readonly<Record<string, string>> = {
  error_max_turns: 'The agent reached its step limit before the task was done',
  error_max_budget_usd: 'The agent reached its budget before the task was done',
}

const statedFailure = ({
  subtype,
  is_error,
  result,
  errors,
}: Result): Pick<Outcome, 'failure' | 'retryable'> => {
  const why = errors.join('; ')
  const limit = limits[subtype]
  if (limit !== undefined) return { failure: why === '' ? limit : `${limit}: ${why}`, retryable: false }
  if (!is_error && subtype === 'success') return {}
  return { failure: `The agent failed: ${why || result || subtype}`, retryable: true }
}

/** `claude -p --output-format stream-json --verbose`: https://docs.claude.com/en/docs/claude-code/headless */
export const createClaudeParser = ({ events, progress, root }: ParserNeeds): Parser => {
  let session: string | undefined
  let model: string | undefined
  let end: Outcome | undefined

  const takeBlock = (block: Block, isOfSubagent: boolean) => {
    if (block.type === 'tool_use') {
      const { id, name, input } = block
      events.beginCall({ id, name, title: callTitle(name, input, root), input })
    }
    if (block.type === 'tool_result')
      events.endCall(block.tool_use_id, {
        content: resultText(block.content),
        failed: block.is_error === true,
      })
    // What a subagent writes is for the agent.
    if (isOfSubagent) return
    if (block.type === 'text') events.sayMessage(block.text)
    if (block.type === 'thinking') events.say('reasoning', block.thinking)
  }

  const endWith = (result: Result): Outcome => {
    const denied = result.permission_denials.map((one) => callTitle(one.tool_name, one.tool_input, root))
    return {
      ...statedFailure(result),
      costUsd: result.total_cost_usd,
      answer: result.is_error ? events.outcome().answer : (result.result ?? events.outcome().answer),
      facts: definedFields({
        agentSession: result.session_id ?? session,
        model,
        usage: usageFacts(result),
        denied: denied.length > 0 ? [...new Set(denied)] : undefined,
      }),
    }
  }

  const takeSystem = (line: SystemLine) => {
    session ??= line.session_id
    model ??= line.model
    if (line.subtype !== 'api_retry') return
    const { attempt, max_retries: most, error_status: status } = line
    progress(`Calling its model again, ${attempt} of ${most}: ${status ?? 'no response'}`)
  }

  const takeMessage = ({ message, parent_tool_use_id: parent }: MessageLine) => {
    for (const part of message.content) {
      const { data: block } = Block.safeParse(part)
      if (block) takeBlock(block, typeof parent === 'string')
    }
  }

  const lines = jsonLines((value) => {
    const { data: line } = Line.safeParse(value)
    if (line === undefined || end !== undefined) return
    if (line.type === 'result') end = endWith(line)
    else if (line.type === 'system') takeSystem(line)
    else takeMessage(line)
  })
  return { ...lines, session: () => session, end: () => end }
}
