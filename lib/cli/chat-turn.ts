import { setTimeout as sleep } from 'node:timers/promises'
import { eventsIn } from '../api/server-sent-events.ts'
import type { SecurityMode } from '../core/security-mode.ts'
import { TOOL_ERROR } from '../core/session-end.ts'
import type { SessionEvent } from './follow.ts'
import { type Service, steadily, WrongServer } from './service.ts'
import { safeLine, type Terminal } from './terminal.ts'

/** How often a conversation is read while its turn waits for a decision. */
const LOOK_MS = 500

type Message = Awaited<ReturnType<Service['client']['sendMessageWithTools']>>['assistantMessage']
type PendingCall = { approvalId: string; name: string; arguments: unknown }
type Answer = { messageId?: string; content: string }

type Turn = {
  service: Service
  terminal: Terminal
  conversationId: string
  content: string
  model?: string | undefined
  /** The most tokens, of an agentic turn. */
  maxBudget?: number | undefined
  signal: AbortSignal
  /** Prints pieces of the answer; nothing under `--json`. */
  write: (text: string) => void
  /** Asks the user at the terminal about a call; absent without a terminal. */
  decide?: ((call: PendingCall) => Promise<boolean>) | undefined
}

/** Sends a message and prints its answer: as it comes where the mode answers by a stream. Throws the error of the turn. */
export const sendTurn = (mode: SecurityMode, turn: Turn): Promise<Answer> =>
  mode === 'full' ? workAlone(turn) : mode === 'deny' ? answerOnly(turn) : answerWithTools(mode, turn)

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')

const sessionEvents = async function* (body: ReadableStream<Uint8Array> | null) {
  if (body)
    for await (const events of eventsIn(body)) yield* events.map(({ data }) => JSON.parse(data) as object)
}

/** The error event that ends a stream. */
const failure = (data: Readonly<Record<string, unknown>>): Error =>
  new Error(textIn(data.message) || textIn(data.error) || 'The connection was lost before the answer ended')

/** An agentic turn: all tools, without asking. */
const workAlone = async (turn: Turn): Promise<Answer> => {
  const { service, conversationId: id, content, model, maxBudget, signal } = turn
  const body = { content, ...(model && { model }), ...(maxBudget && { maxBudget }) }
  const response = await service.client.sendAgentic.raw({ params: { id }, body }, { signal })
  const answer = createAnswer(turn)
  for await (const event of sessionEvents(response.body)) answer.take(event as SessionEvent)
  return answer.whole()
}

/** The answer of an agentic turn, printed as its events come. The texts of two steps are two paragraphs. */
const createAnswer = ({ terminal, write }: Turn) => {
  let step: unknown
  let content = ''
  let messageId = ''
  const takers: Readonly<Record<string, (data: SessionEvent['data']) => void>> = {
    content: (data) => {
      const piece = `${content !== '' && step !== data.step ? '\n\n' : ''}${textIn(data.text)}`
      step = data.step
      content += piece
      write(piece)
    },
    'tool:call': ({ title, name }) => terminal.say(callLine(terminal, textIn(title) || textIn(name))),
    error: (data) => {
      if (data.code !== TOOL_ERROR) throw failure(data)
    },
    message_saved: ({ id }) => {
      messageId = textIn(id)
    },
  }
  return {
    take: ({ type, data }: SessionEvent) => takers[type]?.(data),
    whole: (): Answer => {
      if (messageId === '') throw failure({})
      return { messageId, content }
    },
  }
}

const callLine = ({ paint }: Terminal, title: string) => paint('dim', `  ${safeLine(title)}`, { said: true })

/** A streamed completion in the conversation, without tools. */
const answerOnly = async (turn: Turn): Promise<Answer> => {
  const { service, conversationId, content, model, signal, write } = turn
  const messages = [{ role: 'user' as const, content }]
  const body = { messages, conversationId, stream: true, ...(model && { model }) }
  const response = await service.client.createCompletion.raw({ body }, { signal })
  // A server that ignores `stream` is another one.
  if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
    throw new WrongServer(service.url)
  let text = ''
  let isDone = false
  for await (const event of sessionEvents(response.body)) {
    const data = event as Readonly<Record<string, unknown>>
    if ('error' in data) throw failure(data)
    text += textIn(data.content)
    write(textIn(data.content))
    isDone ||= data.done === true
  }
  if (!isDone) throw failure({})
  return { content: text }
}

const pendingCalls = ({ toolCalls = [] }: Message): PendingCall[] =>
  toolCalls.flatMap(({ status, approvalId, name, arguments: given }) =>
    status === 'pending' && approvalId !== undefined ? [{ approvalId, name, arguments: given }] : [],
  )

/** A turn with tools, answered as a whole; calls that need approval are decided here, or elsewhere. */
const answerWithTools = async (securityMode: SecurityMode, turn: Turn): Promise<Answer> => {
  const { service, terminal, conversationId: id, content, model, signal, write } = turn
  const body = { content, securityMode, ...(model && { model }) }
  const { assistantMessage } = await service.client.sendMessageWithTools({ params: { id }, body }, { signal })
  const answer = await afterDecisions(assistantMessage, turn)
  for (const { name } of answer.toolCalls ?? []) terminal.say(callLine(terminal, name))
  if (answer.error !== undefined) throw new Error(answer.error.message)
  write(answer.content)
  return { messageId: answer.id, content: answer.content }
}

/** Has a call decided here, or says how it is decided elsewhere. */
const settle = async (call: PendingCall, { service, terminal, decide }: Turn): Promise<void> => {
  const id = call.approvalId
  if (decide === undefined)
    return terminal.say(`${safeLine(call.name)} needs approval: agent-tasks approve ${safeLine(id)}`)
  const decision = (await decide(call)) ? 'allow-once' : 'deny'
  await service.client.decideApproval({ params: { id }, body: { decision } })
}

/** The answer once none of its calls waits. */
const afterDecisions = async (message: Message, turn: Turn): Promise<Message> => {
  const { service, conversationId: id, signal } = turn
  const seen = new Set<string>()
  let answer = message
  for (let calls = pendingCalls(answer); calls.length > 0; calls = pendingCalls(answer)) {
    for (const call of calls)
      if (!seen.has(call.approvalId)) {
        seen.add(call.approvalId)
        await settle(call, turn)
      }
    await sleep(LOOK_MS, undefined, { signal })
    const read = () => service.client.getConversation({ params: { id }, query: { limit: 5 } }, { signal })
    const { messages } = await steadily(read, signal)
    answer = messages.find((each) => each.id === message.id) ?? answer
  }
  return answer
}
