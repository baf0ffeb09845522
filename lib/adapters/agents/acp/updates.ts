import * as z from 'zod'
import { toAgentCallKind } from '../../../core/agent-call-kinds.ts'
import { cutText } from '../../../core/cut-text.ts'
import { LONGEST_CALL_RESULT } from '../../../core/tool-call-limits.ts'
import type { LoopEvent } from '../../../ports/tool.ts'
import { createRunEvents } from '../program/run-events.ts'
import { createOpenCalls, isEmpty, type OpenCall } from './open-calls.ts'

type Needs = {
  observe: (event: LoopEvent) => void
  now: () => number
  /** The ids of the calls that the agent was denied: it reports them as failed. */
  deniedIds: ReadonlySet<string>
}

const ContentSchema = z.object({ type: z.string(), text: z.string().default('') })

const ResultPartSchema = z.object({
  type: z.string(),
  path: z.string().optional(),
  oldText: z.string().nullish(),
  newText: z.string().optional(),
  content: ContentSchema.optional(),
})

const ChunkSchema = z.object({
  sessionUpdate: z.enum(['agent_message_chunk', 'agent_thought_chunk']),
  content: ContentSchema,
})

const CallSchema = z.object({
  sessionUpdate: z.enum(['tool_call', 'tool_call_update']),
  toolCallId: z.string().max(1_000),
  name: z.string().nullish(),
  kind: z.string().nullish(),
  title: z.string().nullish(),
  status: z.string().nullish(),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
  content: z.array(ResultPartSchema).nullish(),
  locations: z.array(z.object({ path: z.string() })).nullish(),
  /** Codex sends what its commands print here. */
  _meta: z
    .object({ terminal_output_delta: z.object({ data: z.string() }) })
    .nullish()
    .catch(null),
})
type CallUpdate = z.output<typeof CallSchema>

const UsageSchema = z.object({
  sessionUpdate: z.literal('usage_update'),
  cost: z.object({ amount: z.number(), currency: z.string() }).nullish(),
})

const PlanSchema = z.object({
  sessionUpdate: z.literal('plan'),
  entries: z.array(z.object({ content: z.string(), status: z.string() })),
})

/** Modes and commands, which are for people at a keyboard, are left out, and so is what is no update at all. */
const UpdateSchema = z.discriminatedUnion('sessionUpdate', [ChunkSchema, CallSchema, UsageSchema, PlanSchema])
export type Update = z.output<typeof UpdateSchema>

const NotificationSchema = z.object({ sessionId: z.string(), update: z.unknown().optional() })

/** An update of a session, as an agent sends it: its session, undefined where it names none, and what is read of it. */
export const readUpdate = (params: unknown): { sessionId?: string; update?: Update | undefined } => {
  const { data } = NotificationSchema.safeParse(params)
  return data ? { sessionId: data.sessionId, update: UpdateSchema.safeParse(data.update).data } : {}
}

/** Claude Code sends what a command printed as one code block of markdown: people read it as plain text. */
const plainText = (text: string): string => {
  const [opening = '', fence] = /^(`{3,})[^`\n]*\n/.exec(text) ?? []
  const block = text.trimEnd()
  if (fence === undefined || !block.endsWith(`\n${fence}`)) return text
  const printed = block.slice(opening.length, -fence.length - 1)
  return printed.includes(`\n${fence}`) ? text : printed
}

const contentText = (parts: NonNullable<CallUpdate['content']>, printed: string): string =>
  parts
    .map(({ type, path, content }) => {
      if (type === 'content') return content?.type === 'text' ? plainText(content.text) : `[${content?.type}]`
      return type === 'diff' ? `Changed ${path}` : printed || '[terminal]'
    })
    .join('\n')

const resultText = ({ content, rawOutput }: CallUpdate, printed: string): string => {
  const text = content?.length ? contentText(content, printed) : printed
  if (text !== '' || rawOutput === undefined || rawOutput === null) return text
  return typeof rawOutput === 'string' ? rawOutput : JSON.stringify(rawOutput)
}

const ExitSchema = z.object({
  exit_code: z.number().nullish(),
  metadata: z.object({ exit: z.number().nullish() }).nullish(),
})

/** Codex and OpenCode state it in what a command gave: OpenCode has any command that ended as completed. */
const exitCode = (rawOutput: unknown): number => {
  const { data } = ExitSchema.safeParse(rawOutput)
  return data?.exit_code ?? data?.metadata?.exit ?? 0
}

const MARKS: Readonly<Record<string, string>> = { completed: 'x', in_progress: '>' }

/** A plan, as a list in markdown. */
const planText = ({ entries }: z.output<typeof PlanSchema>): string =>
  entries.map(({ content, status }) => `- [${MARKS[status] ?? ' '}] ${content}\n`).join('')

/** Turns the updates of a session into the events that readers of a run follow. */
export const createUpdates = (needs: Needs) => {
  const events = createRunEvents(needs)

  const calls = createOpenCalls()
  /** What the commands of open calls have printed, by the ids of the calls. */
  const outputs = new Map<string, string>()
  const print = ({ toolCallId: id, _meta }: CallUpdate) => {
    const data = _meta?.terminal_output_delta.data
    // One character more tells that the output was cut.
    if (data !== undefined && calls.has(id))
      outputs.set(id, cutText((outputs.get(id) ?? '') + data, LONGEST_CALL_RESULT + 1))
  }

  const begin = (call: OpenCall) => {
    const { toolCallId: id, kind, name, title, rawInput: input } = call
    const isAnnouncement = (call.status ?? 'pending') === 'pending' && isEmpty(input)
    // It begins once its input is there.
    if (isAnnouncement && calls.has(id)) return
    const callKind = kind ? toAgentCallKind(kind) : undefined
    events.beginCall({ id, name: name ?? kind ?? 'other', kind: callKind, title, input })
  }

  const updateCall = (update: CallUpdate) => {
    const { toolCallId: id, title, status } = update
    const call = calls.update(update)
    print(update)
    if (!events.isOpen(id)) begin(call)
    if (status !== 'completed' && status !== 'failed') return
    const printed = outputs.get(id) ?? ''
    outputs.delete(id)
    calls.end(id)
    const failed = status === 'failed' || exitCode(update.rawOutput) !== 0
    events.endCall(id, {
      title,
      content: resultText(update, printed),
      failed,
      isDenied: needs.deniedIds.has(id),
    })
  }

  /** It begins before people are asked about it, though OpenCode may tell its input in the permission first. */
  const wholeCall = <Call extends OpenCall>(asked: Call): Call => {
    const call = calls.whole(asked)
    if (calls.has(call.toolCallId) && !events.isOpen(call.toolCallId)) begin(call)
    return call
  }

  let plan = ''
  /** Agents repeat their plan with each of its changes, and without one. */
  const takePlan = (text: string) => {
    if (text === plan) return
    plan = text
    events.say('reasoning', `\n\n${text}\n`)
  }

  return {
    /** What the agent states of its cost is left out. */
    take: (update: Update): void => {
      if (update.sessionUpdate === 'usage_update') return
      if (update.sessionUpdate === 'plan') takePlan(planText(update))
      else if ('toolCallId' in update) updateCall(update)
      else if (update.content.type === 'text')
        events.say(update.sessionUpdate === 'agent_message_chunk' ? 'text' : 'reasoning', update.content.text)
    },
    /** A call that the agent asks permission for, with what it has told of it before. */
    wholeCall,
    end: events.end,
    isAnswered: events.isAnswered,
    /** What the agent wrote last, and what it did. */
    outcome: events.outcome,
  }
}
