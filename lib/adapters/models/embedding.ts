import * as z from 'zod'
import { readBounded } from '../../core/bounded-body.ts'
import { Problem } from '../../core/errors.ts'
import { createMasker, type Masker } from '../../core/masker.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Embedding } from '../../ports/embedding.ts'
import { providerError, type Scene, sceneFor, toProblem } from './failures.ts'
import type { Guard } from './guard.ts'
import { configuredProviders, type ModelSettings, type Provider } from './resolve.ts'
import {
  failedAnswer,
  failureIn,
  lostConnection,
  tooLarge,
  unreadable,
  type WireFailure,
} from './wire-failure.ts'
import { fieldsIn } from './wire-fields.ts'

/** The providers with embedding models. */
const KINDS: ReadonlySet<string> = new Set(['openai', 'ollama', 'openrouter'])
const ANSWERS_WITHIN_MS = 60_000
/** The most bytes of an answer: about 500 vectors of 3,072 dimensions. */
const MOST_BYTES = 33_554_432
const MOST_DIMENSIONS = 16_384
/** The most bytes read of an answer with an error status. */
const LONGEST_REFUSAL = 65_536
/** The waits before retries of a temporary failure; the last try has none. */
const WAITS_MS = [500, 2_000, undefined]
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
 * The embedding model `provider/model`, over the wire protocol that all its providers share. Throws a one-line Error for
 * a provider without such models, or one that is not configured.
 */
export const createEmbedding = ({ settings, model: named, clock, guard, ...needs }: Needs): Embedding => {
  const slash = named.indexOf('/')
  const [kind, model] = [named.slice(0, slash), named.slice(slash + 1)]
  if (!KINDS.has(kind))
    throw new Error(`${kind} has no embedding models: name one of ${[...KINDS].join(', ')}`)
  const provider = configuredProviders(settings).get(kind)
  if (!provider) throw new Error(`${kind} is not configured`)
  const { fetch = globalThis.fetch, masker = createMasker([]) } = needs

  let leftAlone: { untilMs: number; because: Problem } | undefined
  const refuseIfLeftAlone = () => {
    const retryAfterMs = leftAlone === undefined ? 0 : leftAlone.untilMs - clock.monotonic()
    if (leftAlone === undefined || retryAfterMs <= 0) return
    const { code, message } = leftAlone.because
    // Not the first error itself, so that no breaker counts a call that was not made.
    if (code === 'rate_limited') throw new Problem('rate_limited', 'rate_limited', message, { retryAfterMs })
    throw new Problem('unavailable', 'provider_error', message, { retryAfterMs })
  }

  /** The wait before another try after an error answer; throws the error when there is none. */
  const waitAfter = (thrown: Problem, status: number, waitMs: number | undefined): number => {
    const { retryAfterMs: askedMs = 0 } = thrown
    if (askedMs > LONGEST_WAIT_MS) leftAlone = { untilMs: clock.monotonic() + askedMs, because: thrown }
    const isTemporary = status === 429 || status >= 500
    if (waitMs === undefined || askedMs > LONGEST_WAIT_MS || !isTemporary) throw thrown
    return Math.max(waitMs, askedMs)
  }

  const call = async (texts: readonly string[], signal: AbortSignal, scene: Scene) => {
    refuseIfLeftAlone()
    const within = AbortSignal.any([signal, AbortSignal.timeout(ANSWERS_WITHIN_MS)])
    for (const usualMs of WAITS_MS) {
      const answer = await asked(fetch, provider, { model, input: texts }, within)
      if (answer.ok) return vectorsIn(await bodyOf(answer, MOST_BYTES), texts.length)
      const waitMs = waitAfter(toProblem(await refusalOf(answer), scene), answer.status, usualMs)
      await new Promise<void>((resolve) => void clock.after(waitMs, resolve))
    }
    return undefined
  }

  const tried = async (texts: readonly string[], signal: AbortSignal) => {
    const scene = sceneFor(provider, model, clock.now(), masker)
    try {
      const vectors = await call(texts, signal, scene)
      if (vectors) return vectors
    } catch (thrown) {
      throw signal.aborted ? signal.reason : toProblem(thrown, scene)
    }
    throw providerError(scene, 'unreadable', 'answered other vectors than it was asked for')
  }

  return {
    model: named,
    embed: (texts, signal) => (guard ? guard(kind, () => tried(texts, signal)) : tried(texts, signal)),
  }
}

/**
 * Sends a request in the protocol that all these providers share. The library for models is not used: it would be the
 * larger part of the functions that search memory.
 */
const asked = async (
  send: typeof fetch,
  { apiKey, baseUrl }: Provider,
  body: { model: string; input: readonly string[] },
  signal: AbortSignal,
): Promise<Response> => {
  try {
    return await send(`${baseUrl}/embeddings`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }),
      },
      body: JSON.stringify({ ...body, encoding_format: 'float' }),
      // A redirect could carry the key to another host.
      redirect: 'manual',
      signal,
    })
  } catch (thrown) {
    throw lostConnection(thrown)
  }
}

const bodyOf = async ({ body }: Response, mostBytes: number): Promise<string> => {
  const { bytes, truncated } = await readBounded(body, mostBytes).catch((thrown: unknown) => {
    throw lostConnection(thrown)
  })
  if (truncated) throw tooLarge(`answered with more than ${mostBytes} bytes`)
  return bytes.toString('utf8')
}

const refusalOf = async (answer: Response): Promise<WireFailure> => {
  const { bytes } = await readBounded(answer.body, LONGEST_REFUSAL).catch(() => ({ bytes: '' }))
  return failedAnswer(answer.status, Object.fromEntries(answer.headers), bytes.toString())
}

const AnswerSchema = z.object({
  data: z.array(
    z.object({ index: z.number().optional(), embedding: z.array(z.number()).max(MOST_DIMENSIONS) }),
  ),
})

/** The vectors; undefined unless there is one per text, all of one size. */
const vectorsIn = (body: string, count: number): Float32Array[] | undefined => {
  const answer = jsonIn(body)
  const failure = failureIn(fieldsIn(answer))
  if (failure) throw failure
  const { data = [] } = AnswerSchema.safeParse(answer).data ?? {}
  const size = data[0]?.embedding.length ?? 0
  if (data.length !== count || size === 0) return undefined
  if (!data.every(({ embedding }) => embedding.length === size)) return undefined
  const ordered = data.map((each, n) => ({ at: each.index ?? n, embedding: each.embedding }))
  return ordered.sort((a, b) => a.at - b.at).map(({ embedding }) => Float32Array.from(embedding))
}

const jsonIn = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    throw unreadable()
  }
}
