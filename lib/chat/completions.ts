import { isPromptTooLong } from '../core/context-window.ts'
import { definedFields } from '../core/defined-fields.ts'
import { Problem } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import { addUsage } from '../core/token-usage.ts'
import { eventText } from '../http/event-stream.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { ModelMessage, Models, StepPart, StepRequest } from '../ports/model.ts'
import type { Target } from './compaction.ts'
import { type ChatContext, type Known, systemText, toAnswerContext } from './context.ts'
import type { CompletionBody, QuickBody } from './contract.ts'
import type { OpenTurns } from './leases.ts'
import type { AnswerContext } from './schema.ts'
import { type Turn, type Turns, timeLimit, toAnswerError, UNFORESEEN } from './turns.ts'

type Finish = Extract<StepPart, { type: 'finish' }>

type Needs = {
  models: Models
  clock: Clock
  ids: Ids
  log: Log
  turns: Pick<Turns, 'open' | 'finish' | 'fail'>
  openTurns: OpenTurns
  context: Pick<ChatContext, 'ofRequest'>
  timeoutMs: number
  /** The time limit of a whole answer, and of the first piece of a stream. */
  firstByteMs: number
}

type Prepared = {
  messages: readonly ModelMessage[]
  target: Target
  turn: Turn | undefined
  known: Known
}
type Settings = Pick<CompletionBody, 'temperature' | 'maxTokens'>
type Options = { withMemory?: boolean; gone?: AbortSignal | undefined }

const modelSettings = ({ temperature, maxTokens: maxOutputTokens }: Settings) =>
  definedFields({ temperature, maxOutputTokens })

const without = <Role extends string>({ messages }: CompletionBody, role: Role) =>
  messages.filter((one): one is typeof one & { role: Exclude<typeof one.role, Role> } => one.role !== role)

/** Completions. Only those of a conversation are stored. */
export const createCompletions = (needs: Needs) => {
  const { models, clock, ids, log, turns, openTurns, context, timeoutMs, firstByteMs } = needs

  /** Takes the slot of a completion without a conversation; a turn takes its own. */
  const takeSlot = ({ userId }: Principal, { conversationId }: CompletionBody) =>
    conversationId === undefined ? openTurns(userId) : Promise.resolve(async () => undefined)

  const prepare = async (
    principal: Principal,
    body: CompletionBody,
    withMemory: boolean,
    signal: AbortSignal,
  ): Promise<Prepared> => {
    const target = models.resolve(body)
    const query = body.messages.findLast(({ role }) => role === 'user')?.content ?? ''
    const known = await context.ofRequest(principal, body, query, withMemory)
    const { conversationId, systemPrompt } = body
    if (conversationId !== undefined) {
      const system = body.messages.filter(({ role }) => role === 'system').map(({ content }) => content)
      const turnMessages = without(body, 'system')
      const given = { ...target, messages: turnMessages, system, systemPrompt, known, signal }
      const turn = await turns.open(principal, conversationId, given)
      return { messages: turn.messages, target, turn, known }
    }
    const text = systemText({ ...known, systemPrompt })
    const system = text === '' ? [] : [{ role: 'system' as const, content: text }]
    return { messages: [...system, ...body.messages], target, turn: undefined, known }
  }

  /** A step of a model. When the prompt is too long for the model's window, it is compacted and sent once more. */
  async function* stepWithin(request: StepRequest, compacted: Turn['compacted'] | undefined) {
    try {
      yield* models.step(request)
    } catch (thrown) {
      if (!isPromptTooLong(thrown) || compacted === undefined) throw thrown
      yield* models.step({ ...request, messages: await compacted() })
    }
  }

  /** The pieces of the text, then how it finished. Throws Problem `provider_error` for an empty answer. */
  async function* answering(prepared: Prepared, settings: Settings, signal: AbortSignal) {
    const { messages, target, turn } = prepared
    const ending = turn ? AbortSignal.any([signal, turn.signal]) : signal
    let finish: Finish | undefined
    let isEmpty = true
    const request = { ...target, ...modelSettings(settings), signal: ending }
    for await (const part of stepWithin({ ...request, messages }, turn?.compacted)) {
      ending.throwIfAborted()
      if (part.type === 'finish') finish = part
      if (part.type !== 'text') continue
      isEmpty &&= part.text.trim() === ''
      yield part.text
    }
    ending.throwIfAborted()
    if (finish === undefined || isEmpty)
      throw new Problem('unavailable', 'provider_error', 'The model answered nothing')
    return finish
  }

  const saved = async ({ turn }: Prepared, finish: Finish) => {
    const { provider, model, fallbackFrom, message } = finish
    if (turn === undefined) return finish.usage
    const usage = addUsage(turn.spent, finish.usage)
    await turns.finish(turn, { content: message.content, usage, provider, model, fallbackFrom })
    return usage
  }

  /** Stores the partial answer of a failed turn. The first failure is the reported one. */
  const failed = async ({ turn }: Prepared, thrown: unknown, partialText: string): Promise<void> => {
    if (turn === undefined) return
    await turns.fail(turn, thrown, { content: partialText, usage: turn.spent }).catch((again: unknown) => {
      log.warn({ err: again, conversationId: turn.conversation.id }, 'a turn that failed could not be stored')
    })
  }

  /** The last event of a failed stream. The log has the message of an error that is no Problem. */
  const errorEvent = (thrown: unknown): string => {
    const { code, message } = toAnswerError(thrown)
    if (code === UNFORESEEN)
      log.error({ err: thrown }, 'a streamed completion failed by a fault of this service')
    return eventText({ error: message, code }, { name: 'error' })
  }

  const turnFacts = ({ turn }: Prepared) => ({
    conversationId: turn?.conversation.id,
    compaction: turn?.compaction,
  })
  const answerContext = ({ turn, known }: Prepared): AnswerContext =>
    toAnswerContext(known, turn?.conversation.id)

  const answered = async (
    principal: Principal,
    body: CompletionBody,
    { withMemory = false, gone }: Options = {},
  ) => {
    await using _slot = { [Symbol.asyncDispose]: await takeSlot(principal, body) }
    const from = clock.monotonic()
    using limit = timeLimit(clock, firstByteMs, body.conversationId === undefined ? gone : undefined)
    const prepared = await prepare(principal, body, withMemory, limit.signal)
    let content = ''
    try {
      const pieces = answering(prepared, body, limit.signal)
      let next = await pieces.next()
      for (; !next.done; next = await pieces.next()) content += next.value
      const { provider, model, fallbackFrom, reason } = next.value
      const usage = await saved(prepared, next.value)
      const answer = {
        id: ids.next('cmpl'),
        provider,
        model,
        fallbackFrom,
        message: { role: 'assistant' as const, content },
        finishReason: reason,
        usage,
        duration: Math.round(clock.monotonic() - from),
        ...turnFacts(prepared),
      }
      return { answer, context: answerContext(prepared) }
    } catch (thrown) {
      await failed(prepared, thrown, content)
      throw thrown
    }
  }

  /** Server-sent events. A failure before the first piece is thrown; a later one is the last event, `error`. */
  const stream = async (
    principal: Principal,
    body: CompletionBody,
    { withMemory = false, gone }: Options = {},
  ): Promise<AsyncIterable<string>> => {
    const free = await takeSlot(principal, body)
    const left = new AbortController()
    const outer = gone ? AbortSignal.any([gone, left.signal]) : left.signal
    // A caller that left before the first piece is sent none, and nothing else would free the slot.
    outer.addEventListener('abort', () => void free(), { once: true })
    const untilFirst = timeLimit(clock, firstByteMs, outer)
    const limit = timeLimit(clock, timeoutMs, untilFirst.signal)
    const end = () => {
      untilFirst[Symbol.dispose]()
      limit[Symbol.dispose]()
      void free()
    }
    const events = async function* (
      prepared: Prepared,
      pieces: ReturnType<typeof answering>,
      first: IteratorResult<string, Finish>,
    ): AsyncGenerator<string, void> {
      let partialText = ''
      let isSettled = false
      const settleFailed = async (thrown: unknown) => {
        if (!isSettled) await failed(prepared, thrown, partialText)
        isSettled = true
      }
      try {
        let next = first
        for (; !next.done; next = await pieces.next()) {
          partialText += next.value
          yield eventText({ content: next.value })
        }
        const { reason: finishReason, provider, model, fallbackFrom } = next.value
        const usage = await saved(prepared, next.value)
        isSettled = true
        const facts = { provider, model, fallbackFrom, ...turnFacts(prepared) }
        const context = withMemory ? answerContext(prepared) : undefined
        yield eventText({ done: true, usage, finishReason, ...facts, context })
      } catch (thrown) {
        await settleFailed(thrown)
        yield errorEvent(thrown)
      } finally {
        end()
        // The reader disconnected while this waited for it to take the last piece.
        await settleFailed(callerLeft())
        left.abort(callerLeft())
      }
    }
    let prepared: Prepared | undefined
    try {
      prepared = await prepare(principal, body, withMemory, limit.signal)
      const pieces = answering(prepared, body, limit.signal)
      const first = await pieces.next()
      untilFirst[Symbol.dispose]()
      return events(prepared, pieces, first)
    } catch (thrown) {
      end()
      if (prepared) await failed(prepared, thrown, '')
      throw thrown
    }
  }

  const complete = async (principal: Principal, body: CompletionBody, gone?: AbortSignal) =>
    (await answered(principal, body, { gone })).answer

  const smart = async (principal: Principal, body: CompletionBody, gone?: AbortSignal) => {
    const { answer, context: known } = await answered(principal, body, { gone, withMemory: true })
    return { ...answer, context: known }
  }

  const quick = async (principal: Principal, { prompt, ...given }: QuickBody, gone?: AbortSignal) => {
    const messages = [{ role: 'user' as const, content: prompt }]
    const answer = await complete(principal, { ...given, messages, stream: false }, gone)
    const { message, model, provider, fallbackFrom, usage } = answer
    return { content: message.content, model, provider, usage, fallbackFrom }
  }

  return { complete, smart, stream, quick }
}

const callerLeft = () =>
  new Problem('unavailable', 'cancelled', 'The caller left before the end of the answer')
