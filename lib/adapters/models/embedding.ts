import * as z from 'zod'
import { Problem } from '../../core/errors.ts'
import { createMasker, type Masker } from '../../core/masker.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Embedding } from '../../ports/embedding.ts'
import { readRefusal, readText, sendRequest } from './exchange.ts'
import { type Scene, sceneFor, toProblem } from './failures.ts'
import type { Guard } from './guard.ts'
import { configuredProviders, type ModelSettings } from './resolve.ts'
import { failureIn, unreadable, WireFailure } from './wire-failure.ts'
import { fieldsIn } from './wire-fields.ts'

/** The providers with embedding models. */
const KINDS: ReadonlySet<string> = new Set(['openai', 'ollama', 'openrouter'])
const ANSWERS_WITHIN_MS = 60_000
/** The most bytes of an answer: about 500 vectors of 3,072 dimensions. */
const MOST_BYTES = 33_554_432
const MOST_DIMENSIONS = 16_384
/** The waits before retries of a temporary failure. */
const WAITS_MS = [500, 2_000]
/** A provider that asks for a longer wait is not called until it is over. */
const LONGEST_WAIT_MS = 5_000

type Needs = {
  settings: ModelSettings
  model: string
  clock: Clock
  guard?: Guard
  fetch?: typeof fetch
  /** Masks the secrets of the service in the errors of the provider. */
  masker?: Masker
}

/**
 * The embedding model `provider/model`, over the protocol that all its providers share: the library for models would be
 * the larger part of the functions that search memory. Throws a one-line Error for a provider without such models, or one
 * that is not configured.
 */
export const createEmbedding = ({ settings, model: named, clock, guard, ...needs }: Needs): Embedding => {
  const slash = named.indexOf('/')
  const [kind, model] = [named.slice(0, slash), named.slice(slash + 1)]
  if (!KINDS.has(kind))
    throw new Error(`${kind} has no embedding models. Use one of ${[...KINDS].join(', ')}`)
  const provider = configuredProviders(settings).get(kind)
  if (!provider) throw new Error(`${kind} is not configured`)
  const { fetch = globalThis.fetch, masker = createMasker([]) } = needs

  /** The provider asked for a wait until then. */
  let pause: { untilMs: number; because: Problem } | undefined
  const refuseInPause = () => {
    const retryAfterMs = pause === undefined ? 0 : pause.untilMs - clock.monotonic()
    if (pause === undefined || retryAfterMs <= 0) return
    const { code, message } = pause.because
    // Not the first error itself, so that no breaker counts a call that was not made.
    if (code === 'rate_limited') throw new Problem('rate_limited', 'rate_limited', message, { retryAfterMs })
    throw new Problem('unavailable', 'provider_error', message, { retryAfterMs })
  }

  /** The wait before another try after an error answer; throws the error when there is none. */
  const waitAfter = (thrown: Problem, status: number, waitMs: number | undefined): number => {
    const { retryAfterMs: askedMs = 0 } = thrown
    if (askedMs > LONGEST_WAIT_MS) pause = { untilMs: clock.monotonic() + askedMs, because: thrown }
    const isTemporary = status === 429 || status >= 500
    if (waitMs === undefined || askedMs > LONGEST_WAIT_MS || !isTemporary) throw thrown
    return Math.max(waitMs, askedMs)
  }

  const call = async (texts: readonly string[], callerSignal: AbortSignal, scene: Scene) => {
    refuseInPause()
    const signal = AbortSignal.any([callerSignal, AbortSignal.timeout(ANSWERS_WITHIN_MS)])
    const headers = { 'content-type': 'application/json', ...provider.entry.headers(provider.apiKey) }
    const body = JSON.stringify({ model, input: texts, encoding_format: 'float' })
    for (const usualMs of [...WAITS_MS, undefined]) {
      const request = { method: 'POST', headers, body, signal }
      const answer = await sendRequest(fetch, `${provider.baseUrl}/embeddings`, request)
      if (answer.ok) return vectorsIn(await readText(answer, MOST_BYTES), texts.length)
      const waitMs = waitAfter(toProblem(await readRefusal(answer), scene), answer.status, usualMs)
      await new Promise<void>((resolve) => void clock.after(waitMs, resolve))
    }
    throw unreadable()
  }

  const embed = async (texts: readonly string[], signal: AbortSignal) => {
    const scene = sceneFor(provider, model, clock.now(), masker)
    try {
      return await call(texts, signal, scene)
    } catch (thrown) {
      throw signal.aborted ? signal.reason : toProblem(thrown, scene)
    }
  }

  return {
    model: named,
    embed: (texts, signal) => (guard ? guard(kind, () => embed(texts, signal)) : embed(texts, signal)),
  }
}

const AnswerSchema = z.object({
  data: z.array(
    z.object({ index: z.number().optional(), embedding: z.array(z.number()).max(MOST_DIMENSIONS) }),
  ),
})

/** Throws unless there is one vector per text, all of one size. */
const vectorsIn = (body: string, count: number): Float32Array[] => {
  const answer = jsonIn(body)
  const failure = failureIn(fieldsIn(answer))
  if (failure) throw failure
  const { data = [] } = AnswerSchema.safeParse(answer).data ?? {}
  const sizes = new Set(data.map(({ embedding }) => embedding.length))
  if (data.length !== count || sizes.size !== 1 || sizes.has(0))
    throw new WireFailure('answered other vectors than it was asked for', { reason: 'unreadable' })
  return data
    .map(({ index, embedding }, n) => ({ index: index ?? n, embedding }))
    .sort((a, b) => a.index - b.index)
    .map(({ embedding }) => Float32Array.from(embedding))
}

const jsonIn = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    throw unreadable()
  }
}
