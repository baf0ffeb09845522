import type { Config } from '../config/config.ts'
import { eventNamesOf, hasSubscriber } from '../outbound-webhooks/events.ts'
import type { AgentAdapter } from '../ports/agent.ts'
import type { Repositories } from '../ports/repositories.ts'
import { createTaskCreation, type TaskCreation } from '../tasks/create.ts'
import type { TaskEvent } from '../tasks/schema.ts'
import { createTransitions } from '../tasks/transitions.ts'
import type { AuthContext, AuthPorts } from './auth.ts'

/**
 * Whether an event of a task is sent as a notice to outbound webhooks. One process knows its subscriptions. A function
 * knows those of two seconds ago, so it marks each event that a webhook may hear, and the stream function, which follows
 * the change, reads the subscriptions (`lib/app/cloud-changes.ts`).
 */
export const sendsNotice =
  ({ settings }: Pick<AuthContext, 'settings'>, { SERVICE_MODE }: Pick<Config, 'SERVICE_MODE'>) =>
  (type: TaskEvent['type']): boolean =>
    SERVICE_MODE === 'pro' ? eventNamesOf(type).length > 0 : hasSubscriber(type, settings.subscribedEvents())

type CreationPorts = AuthPorts & {
  adapters: readonly AgentAdapter[]
  repositories: Pick<Repositories, 'check'>
}

/** The creation of tasks alone, for functions that need no other verb of tasks: they start sooner. */
export const composeTaskCreation = (
  auth: Pick<AuthContext, 'settings'>,
  { adapters, ...ports }: CreationPorts,
  config: Config,
): TaskCreation => {
  const ended = async () => undefined
  return createTaskCreation({
    ...ports,
    transitions: createTransitions({ ...ports, ended, sendsNotice: sendsNotice(auth, config) }),
    agents: { fallback: config.DEFAULT_AGENT, types: () => adapters.map(({ type }) => type) },
    maxAttempts: () => auth.settings.current().retry.attempts,
  })
}
