import * as z from 'zod'
import { definedFields } from '../../../core/defined-fields.ts'
import type { TokenUsage } from '../../../core/token-usage.ts'
import { jsonLines, type Outcome, type Parser, type ParserNeeds } from './parser.ts'

const count = z.number().nonnegative().catch(0)
const status = z.string().optional()
const text = z.string()

const Item = z.discriminatedUnion('type', [
  z.object({ type: z.literal('agent_message'), text }),
  z.object({ type: z.literal('reasoning'), text }),
  z.object({
    type: z.literal('command_execution'),
    id: text,
    command: text,
    aggregated_output: text.catch(''),
    exit_code: z.number().nullish(),
    status,
  }),
  z.object({ type: z.literal('file_change'), id: text, changes: z.array(z.object({ path: text })), status }),
  z.object({
    type: z.literal('mcp_tool_call'),
    id: text,
    server: text,
    tool: text,
    arguments: z.unknown(),
    result: z.unknown(),
    error: z.object({ message: text }).nullish(),
    status,
  }),
  z.object({ type: z.literal('web_search'), id: text, query: text.catch('') }),
  z.object({ type: z.literal('error'), message: text }),
])
type Item = z.infer<typeof Item>
type Call = Exclude<Item, { type: 'agent_message' | 'reasoning' | 'error' }>

const Used = z.object({ input_tokens: count, output_tokens: count })
type Used = z.infer<typeof Used>

const Line = z.discriminatedUnion('type', [
  z.object({ type: z.literal('thread.started'), thread_id: text }),
  z.object({ type: z.enum(['item.started', 'item.updated', 'item.completed']), item: z.unknown() }),
  z.object({
    type: z.literal('turn.completed'),
    usage: Used.optional(),
  }),
  z.object({ type: z.literal('turn.failed'), error: z.object({ message: text }) }),
  z.object({ type: z.literal('error'), message: text }),
])

type Line = z.infer<typeof Line>

type CallDescription = { name: string; title: string; input: unknown; content: string }

const describeCall = (call: Call, root: string): CallDescription => {
  const { type: name } = call
  if (call.type === 'command_execution') {
    const { command, aggregated_output: content } = call
    return { name, title: command, input: { command }, content }
  }
  if (call.type === 'file_change') {
    const paths = call.changes.map(({ path }) => path.replace(`${root}/`, ''))
    return { name, title: `Change ${paths.join(', ')}`, input: { changes: call.changes }, content: '' }
  }
  if (call.type === 'web_search')
    return { name, title: `Search ${call.query}`, input: { query: call.query }, content: '' }
  const content = call.error?.message ?? JSON.stringify(call.result ?? '')
  return { name: call.tool, title: `${call.server} ${call.tool}`, input: call.arguments, content }
}

const usageFacts = ({ input_tokens: promptTokens, output_tokens: completionTokens }: Used): TokenUsage => ({
  promptTokens,
  completionTokens,
  totalTokens: promptTokens + completionTokens,
})

const hasFailed = (call: Call): boolean =>
  ('status' in call && (call.status === 'failed' || call.status === 'declined')) ||
  (call.type === 'command_execution' && typeof call.exit_code === 'number' && call.exit_code !== 0)

/** `codex exec --json`: https://developers.openai.com/codex/noninteractive */
export const createCodexParser = ({ events, progress, root }: ParserNeeds): Parser => {
  let session: string | undefined
  let answer = ''
  const denied: string[] = []
  let end: Outcome | undefined

  const takeCall = (call: Call, isOver: boolean) => {
    const { name, title, input, content } = describeCall(call, root)
    if (!events.isOpen(call.id)) events.beginCall({ id: call.id, name, title, input })
    if (!isOver) return
    const isDenied = 'status' in call && call.status === 'declined'
    if (isDenied) denied.push(title)
    events.endCall(call.id, { title, content, failed: hasFailed(call), isDenied })
  }

  const takeItem = (item: Item, isOver: boolean) => {
    if (item.type === 'agent_message') {
      if (!isOver) return
      answer = item.text
      events.sayMessage(item.text)
    } else if (item.type === 'reasoning') {
      if (isOver) events.say('reasoning', item.text)
    } else if (item.type === 'error') progress(item.message)
    else takeCall(item, isOver)
  }

  const endWith = ({
    usage,
    ...failure
  }: Pick<Outcome, 'failure' | 'retryable'> & { usage?: Used }): Outcome => ({
    ...failure,
    answer,
    facts: definedFields({
      agentSession: session,
      usage: usage && usageFacts(usage),
      denied: denied.length > 0 ? [...new Set(denied)] : undefined,
    }),
  })

  const take = (line: Line) => {
    if (line.type === 'thread.started') session = line.thread_id
    if (line.type === 'error') progress(line.message)
    if (!('item' in line)) return
    const { data: item } = Item.safeParse(line.item)
    if (item) takeItem(item, line.type === 'item.completed')
  }

  const readEnd = (line: Line): Outcome | undefined => {
    if (line.type === 'turn.failed')
      return endWith({ failure: `The agent failed: ${line.error.message}`, retryable: true })
    if (line.type === 'turn.completed') return endWith({ ...(line.usage && { usage: line.usage }) })
    return undefined
  }

  const lines = jsonLines((value) => {
    const { data: line } = Line.safeParse(value)
    if (line === undefined || end !== undefined) return
    end = readEnd(line)
    take(line)
  })
  return { ...lines, session: () => session, end: () => end }
}
