import { toAnswerError, UNFORESEEN } from '../core/answer-error.ts'
import type { Principal } from '../core/principal.ts'
import { createPushReader } from '../core/push-reader.ts'
import { timeLimit } from '../core/time-limit.ts'
import { eventText } from '../http/event-stream.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { Turns } from '../turns/service.ts'
import type { CompletionBody, QuickBody } from './contract.ts'

type Needs = {
  clock: Clock
  ids: Ids
  log: Log
  turns: Pick<Turns, 'answerMessages'>
  timeoutMs: number
  /** The time limit of a whole answer, and of the first piece of a stream. */
  firstByteMs: number
}

type Options = { withMemory?: boolean; gone?: AbortSignal | undefined }

const modelSettings = ({ temperature, maxTokens: maxOutputTokens }: CompletionBody) => ({
  temperature,
  maxOutputTokens,
})

/** Completions: as a whole, or as a stream of text pieces. */
export const createCompletions = ({ clock, ids, log, turns, timeoutMs, firstByteMs }: Needs) => {
  const answered = async (principal: Principal, body: CompletionBody, options: Options) => {
    const { withMemory = false, gone } = options
    const from = clock.monotonic()
    using limit = timeLimit(clock, firstByteMs, body.conversationId === undefined ? gone : undefined)
    const { signal } = limit
    const completion = await turns.answerMessages(principal, body, {
      ...modelSettings(body),
      withMemory,
      signal,
    })
    const { content, result, usage, answerContext, conversationId, compaction } = completion
    const { provider, model, fallbackFrom, finishReason } = result
    const answer = {
      id: ids.next('cmpl'),
      provider,
      model,
      fallbackFrom,
      message: { role: 'assistant' as const, content },
      finishReason,
      usage,
      duration: Math.round(clock.monotonic() - from),
      conversationId,
      compaction,
    }
    return { answer, context: answerContext }
  }

  /** The last event of a failed stream. The log has the message of an error that is no Problem. */
  const errorEvent = (thrown: unknown): string => {
    const { code, message } = toAnswerError(thrown)
    if (code === UNFORESEEN)
      log.error({ err: thrown }, 'a streamed completion failed by a fault of this service')
    return eventText({ error: message, code }, { name: 'error' })
  }

  /** Server-sent events. A failure before the first piece is thrown; a later one is the last event, `error`. */
  const stream = async (
    principal: Principal,
    body: CompletionBody,
    { withMemory = false, gone }: Options = {},
  ): Promise<AsyncIterable<string>> => {
    const left = new AbortController()
    const pieces = createPushReader<string>()
    const complete = async () => {
      using untilFirst = timeLimit(
        clock,
        firstByteMs,
        gone ? AbortSignal.any([gone, left.signal]) : left.signal,
      )
      using limit = timeLimit(clock, timeoutMs, untilFirst.signal)
      return await turns.answerMessages(principal, body, {
        ...modelSettings(body),
        withMemory,
        signal: limit.signal,
        onEvent: (event) => {
          if (event.type !== 'text') return
          untilFirst[Symbol.dispose]()
          pieces.push(event.text)
        },
      })
    }
    const ended = complete().finally(pieces.end)
    ended.catch(() => undefined)
    const events = async function* (first: readonly string[] | undefined): AsyncGenerator<string, void> {
      try {
        for (let batch = first; batch !== undefined; batch = await pieces.next())
          for (const content of batch) yield eventText({ content })
        const { result, usage, answerContext, conversationId, compaction } = await ended
        const { finishReason, provider, model, fallbackFrom } = result
        const facts = { provider, model, fallbackFrom, conversationId, compaction }
        const context = withMemory ? answerContext : undefined
        yield eventText({ done: true, usage, finishReason, ...facts, context })
      } catch (thrown) {
        yield errorEvent(thrown)
      } finally {
        left.abort()
        await ended.catch(() => undefined)
      }
    }
    const first = await pieces.next()
    if (first === undefined) await ended
    return events(first)
  }

  const complete = async (principal: Principal, body: CompletionBody, gone?: AbortSignal) =>
    (await answered(principal, body, { gone })).answer

  const smart = async (principal: Principal, body: CompletionBody, gone?: AbortSignal) => {
    const { answer, context } = await answered(principal, body, { gone, withMemory: true })
    return { ...answer, context }
  }

  const quick = async (principal: Principal, { prompt, ...given }: QuickBody, gone?: AbortSignal) => {
    const messages = [{ role: 'user' as const, content: prompt }]
    const answer = await complete(principal, { ...given, messages, stream: false }, gone)
    const { message, model, provider, fallbackFrom, usage } = answer
    return { content: message.content, model, provider, usage, fallbackFrom }
  }

  return { complete, smart, stream, quick }
}
