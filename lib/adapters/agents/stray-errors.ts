import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import { definedFields } from '../../core/defined-fields.ts'
import { errorMessage } from '../../core/errors.ts'
import type { AgentAdapter, AgentContext } from '../../ports/agent.ts'
import type { Log } from '../../ports/log.ts'

/** The module or the agent that the running work belongs to; its name is known when the module was loaded. */
export type Owner = { agent: string }

/** One for the process. Undefined is the service's own work. */
const running = new AsyncLocalStorage<Owner | undefined>()

/** Runs work of an agent's module. What it starts and does not await, such as a timer, belongs to the module too. */
export const withinAgent = <T>(owner: Owner, work: () => T): T => running.run(owner, work)

const withinService = <T>(work: () => T): T => running.run(undefined, work)

type Verb = (...given: never[]) => unknown

/** A function of the service for an agent: its work is the service's, a rejection that is not awaited is the agent's. */
const lentFunction = <F extends Verb>(verb: F): F =>
  ((...given) => {
    const answer = withinService(() => verb(...given))
    return answer instanceof Promise ? answer.then((value) => value) : answer
  }) as F

/** A signal that aborts with the given one; its listeners are the agent's work. */
const ownSignal = (signal: AbortSignal): AbortSignal => {
  const own = new AbortController()
  const abort = AsyncResource.bind(() => own.abort(signal.reason))
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return own.signal
}

// What an agent gives is made plain before the service reads it: getters, `toJSON` and `toString` are the agent's work.

const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value) ?? 'null')

const plainError = (thrown: unknown): Error => {
  try {
    return new Error(errorMessage(thrown, Number.POSITIVE_INFINITY))
  } catch {
    return new Error('an error that has no text')
  }
}

const lentContext = (context: AgentContext): AgentContext => {
  const progress = lentFunction(context.progress)
  const keepSecret = lentFunction(context.keepSecret)
  const observe = lentFunction(context.observe)
  const run = lentFunction(context.run)
  return {
    ...context,
    signal: ownSignal(context.signal),
    progress: (message) => progress(errorMessage(message, Number.POSITIVE_INFINITY)),
    keepSecret: (secret) => keepSecret(String(secret ?? '')),
    observe: (event) => observe(plain(event)),
    run: (...program) => run(...plain(program)),
  }
}

/** The adapter of a module. What its methods, getters and values run is named by its type in `logStrayErrors`. */
export const attributedAdapter = (adapter: AgentAdapter): AgentAdapter => {
  const owner = { agent: adapter.type }
  const within = <T>(work: () => T): T => withinAgent(owner, work)
  const { canResume, timeoutMs } = adapter
  const checked: Partial<AgentAdapter> = {
    // As they were when the module was loaded and checked: a getter may give another value later, or throw.
    ...definedFields({ canResume, timeoutMs }),
    // Awaited within the agent: the `then` of what it returns may be its own.
    execute: (task, context) => within(async () => await adapter.execute(task, lentContext(context))),
    healthCheck: () =>
      within(async () => {
        try {
          const { checkedAt: _, ...health } = plain(await adapter.healthCheck())
          return health
        } catch (thrown) {
          throw plainError(thrown)
        }
      }),
    configured: () => within(() => adapter.configured?.() ?? true),
    missing: () => ({}),
    within,
  }
  return new Proxy(adapter, {
    get: (target, name) => Reflect.get(checked, name) ?? within(() => Reflect.get(target, name)),
  })
}

/**
 * Logs an error that nothing in an agent's module catches (of a timer, an event, a promise without `await`) with the
 * agent's name, until the returned function is called. Any other uncaught error ends the process, as Node does.
 */
export const logStrayErrors = (log: Pick<Log, 'error'>): (() => void) => {
  // Without a listener for rejections Node passes them on as uncaught exceptions.
  const onUncaught = (err: unknown) => {
    const owner = running.getStore()
    if (owner !== undefined) {
      log.error({ agent: owner.agent, err }, 'an error that the module of an agent does not catch')
      return
    }
    process.off('uncaughtException', onUncaught)
    process.nextTick(() => {
      throw err
    })
  }
  process.on('uncaughtException', onUncaught)
  return () => void process.off('uncaughtException', onUncaught)
}
