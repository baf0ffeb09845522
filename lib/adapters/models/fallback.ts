import { errorMessage, Problem } from '../../core/errors.ts'
import type { Log } from '../../ports/log.ts'
import type { StepPart, StepRequest } from '../../ports/model.ts'
import { isProviderFault } from './failures.ts'
import type { Provider, Target } from './resolve.ts'

const PAYMENT_REQUIRED = 402

/** Whether another provider may answer instead: this one is down, or over quota (429 or 402). */
const isUnavailable = (thrown: unknown): boolean => {
  if (isProviderFault(thrown)) return true
  if (!(thrown instanceof Problem)) return false
  const { status } = (thrown.details ?? {}) as { status?: number }
  const isOverQuota = thrown.code === 'provider_error' && status === PAYMENT_REQUIRED
  return thrown.code === 'circuit_open' || thrown.code === 'rate_limited' || isOverQuota
}

/** Whether a provider can get the request; not when it supports no tools and the request has some. */
export const supports = (
  { entry }: Pick<Provider, 'entry'>,
  { tools = [], messages }: StepRequest,
): boolean =>
  !entry.toolless || (tools.length === 0 && messages.every((each) => each.role !== 'tool' && !hasCalls(each)))

const hasCalls = (message: StepRequest['messages'][number]): boolean =>
  message.role === 'assistant' && (message.toolCalls ?? []).length > 0

export type Chain = {
  /** The providers in their order; the first with the model of the request. Never empty. */
  targets: readonly [Target, ...Target[]]
  signal: AbortSignal
  /** Whether the prompt fits a model's window; a fallback with a smaller window is skipped. */
  fits: (target: Target) => boolean
  ask: (target: Target) => AsyncIterable<StepPart>
  log: Log | undefined
}

/** The answer of the first available provider, none after a first part. Throws the failure of the first one. */
export const firstAnswer = (chain: Chain): AsyncIterable<StepPart> =>
  chain.targets.length === 1 ? chain.ask(chain.targets[0]) : firstAvailable(chain)

/** The first target, and those others whose window fits the prompt, checked at their turn. */
function* fittingTargets({ targets: [first, ...others], fits, log }: Chain): Generator<Target> {
  yield first
  for (const target of others)
    if (fits(target)) yield target
    else log?.warn(target, 'fallback provider is left out: the prompt does not fit its window')
}

async function* firstAvailable(chain: Chain): AsyncGenerator<StepPart> {
  const { signal, ask, log } = chain
  const [first] = chain.targets
  const failures: unknown[] = []
  for (const target of fittingTargets(chain)) {
    let isBegun = false
    try {
      for await (const part of ask(target)) {
        isBegun = true
        yield target !== first && part.type === 'finish' ? { ...part, fallbackFrom: first.provider } : part
      }
      return
    } catch (thrown) {
      if (isBegun) throw thrown
      signal.throwIfAborted()
      failures.push(thrown)
      log?.warn({ ...target, reason: errorMessage(thrown) }, 'provider did not answer')
      if (!isUnavailable(thrown)) break
    }
  }
  throw failures[0]
}
