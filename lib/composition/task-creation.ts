import type { Config } from '../config/config.ts'
import { eventNamesOf } from '../outbound-webhooks/events.ts'
import { ALL_EVENTS } from '../outbound-webhooks/schema.ts'
import type { AgentAdapter } from '../ports/agent.ts'
import type { Repositories } from '../ports/repositories.ts'
import { createTaskCreation, type TaskCreation } from '../tasks/create.ts'
import type { TaskEvent } from '../tasks/schema.ts'
import { createTransitions } from '../tasks/transitions.ts'
import type { AuthContext, AuthPorts } from './auth.ts'

/** Whether an outbound webhook is subscribed to the events that an event of a task causes. */
export const subscriptionsOf =
  ({ settings }: Pick<AuthContext, 'settings'>) =>
  (type: TaskEvent['type']): boolean => {
    const events = settings.subscribedEvents()
    return events.size > 0 && eventNamesOf(type).some((event) => events.has(event) || events.has(ALL_EVENTS))
  }

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
    transitions: createTransitions({ ...ports, ended, isSubscribed: subscriptionsOf(auth) }),
    agents: { fallback: config.DEFAULT_AGENT, types: () => adapters.map(({ type }) => type) },
    maxAttempts: () => auth.settings.current().retry.attempts,
  })
}
