import type { AgentAdapter } from '../ports/agent.ts'
import type { QueuedWait, RunTask, TaskRow } from '../tasks/schema.ts'

/** A provider that no new run may use until a time. */
type Hold = { provider: string; reason: string; until: string }

type Needs = {
  holds: {
    refresh(): Promise<unknown> | undefined
    lastRead(): readonly Hold[]
    /** The hold for which a task waits that works with any of the providers; undefined when it may start. */
    holdingBack(providers: readonly string[], taskId: string): Promise<Hold | undefined>
  }
  budgets: {
    isSet(): boolean
    /** The budget for which a task waits; undefined when it may start. */
    holdingBack(task: Started): Promise<QueuedWait | undefined>
  }
  agent: (type: string) => Promise<AgentAdapter | undefined>
  /** The stored task without its detail. */
  read: (taskId: string) => Promise<TaskRow | undefined>
}

type Started = Pick<TaskRow, 'id' | 'agent' | 'countedAs' | 'createdBy'>

export type Gate = ReturnType<typeof createGate>

/** Decides before each claim whether an attempt may begin. */
export const createGate = ({ holds, budgets, agent, read }: Needs) => {
  /** What a task has to wait for; undefined when it may start. */
  const reasonToWait = async (task: Started): Promise<QueuedWait | undefined> => {
    // A task that waits for its budget would be in the way of others as the probe of a hold.
    const budget = await budgets.holdingBack(task)
    if (budget !== undefined) return budget
    const providers = (await agent(task.agent))?.providers?.() ?? []
    const hold = await holds.holdingBack(providers, task.id)
    if (hold === undefined) return undefined
    const { provider, until, reason } = hold
    return { reason: 'hold', provider, until, message: `Waits until ${until}: ${reason}` }
  }

  /** The same for the task of a message; undefined also where it is gone, or is not queued. */
  const beforeClaim = async ({ taskId }: RunTask): Promise<QueuedWait | undefined> => {
    const task = await read(taskId)
    return task?.status === 'queued' ? reasonToWait(task) : undefined
  }

  return {
    reasonToWait,
    /** Undefined at once while nothing is held and no budget is set: the common path reads nothing. */
    beforeClaim: (message: RunTask): Promise<QueuedWait | undefined> | undefined => {
      const refreshing = holds.refresh()
      const mayWait = () => holds.lastRead().length > 0 || budgets.isSet()
      if (refreshing) return refreshing.then(() => (mayWait() ? beforeClaim(message) : undefined))
      return mayWait() ? beforeClaim(message) : undefined
    },
  }
}
