import { AsyncLocalStorage } from 'node:async_hooks'

/** The invocation of a function that the running work belongs to, and the message that started it. */
type Invocation = { awsRequestId?: string; messageId?: string }

/** One for the process, as for traces: an invocation is not part of a trace, and only the log shows it. */
const running = new AsyncLocalStorage<Invocation>()

export const currentInvocation = (): Invocation | undefined => running.getStore()

/** Runs work, and what it awaits, within an invocation: each of its log lines has the invocation's ids. */
export const withinInvocation = <T>(invocation: Invocation, work: () => T): T => running.run(invocation, work)
