import type { Config } from '../config/config.ts'
import { eventNames } from '../outbound-webhooks/events.ts'
import type { AgentAdapter } from '../ports/agent.ts'
import type { Repositories } from '../ports/repositories.ts'
import { createTaskCreation, type TaskCreation } from '../tasks/create.ts'
import type { TaskEvent } from '../tasks/schema.ts'
import { createTransitions } from '../tasks/transitions.ts'
import type { AuthContext, AuthPorts } from './auth.ts'

/** Whether an event may have subscribers. Functions mark such events; the stream function reads subscriptions. */
export const mayHaveSubscriber = (type: TaskEvent['type']): boolean => eventNames(type).length > 0

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
    transitions: createTransitions({ ...ports, ended, sendsNotice: mayHaveSubscriber }),
    agents: { fallback: config.DEFAULT_AGENT, types: () => adapters.map(({ type }) => type) },
    maxAttempts: () => auth.settings.current().retry.attempts,
  })
}
