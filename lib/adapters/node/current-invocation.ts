import { AsyncLocalStorage } from 'node:async_hooks'

/** The invocation of a function that work is done in, and the message that it was begun by. */
type Invocation = { awsRequestId?: string; messageId?: string }

/** One for the process, as that of traces is: an invocation is no part of a trace, and goes no further than the log. */
const running = new AsyncLocalStorage<Invocation>()

export const currentInvocation = (): Invocation => running.getStore() ?? {}

/** Runs work, and what it awaits, as part of an invocation: each line of the log that it causes has the ids of it. */
export const withinInvocation = <T>(invocation: Invocation, work: () => T): T => running.run(invocation, work)
