import type { Store } from '../ports/store.ts'
import type { WebhookTasks } from './needs.ts'
import { type InboundClaim, type InboundEvent, inboundClaims, inboundEvents } from './rows.ts'

type Needs = {
  store: Store
  tasks: Pick<WebhookTasks, 'isOver' | 'liveLike'>
  make: (event: InboundEvent) => Promise<unknown>
}

/** An event that wants a task. */
export type Wanting = InboundEvent & { issue: string; makes: string }

export const isWanting = (event: InboundEvent): event is Wanting =>
  event.issue !== undefined && event.makes !== undefined

/** So often somebody else may be faster before a request gives up; the tick goes on from there. */
const MOST_TRIES = 20

const deliveryKey = ({ sender, delivery }: InboundEvent) => `delivery:${sender}:${delivery}`
const issueKey = ({ sender, issue }: Wanting) => `issue:${sender}:${issue}`

/**
 * Who was first. Each claim is a row that is written on condition that nobody has it; whoever finds another's goes by
 * that, and does for it what its owner, who may have died, has not done yet.
 */
export const createClaims = ({ store, tasks, make }: Needs) => {
  /** The event that was the first under this one's delivery id, which as a rule is itself. */
  const firstDelivered = async (event: InboundEvent): Promise<InboundEvent> => {
    if (event.delivery === undefined) return event
    const { id, expiresAt } = event
    const row: InboundClaim = { id: deliveryKey(event), event: id, expiresAt }
    const { applied, row: standing } = await store.commit<InboundClaim>({ insert: inboundClaims, row })
    if (applied || standing === undefined || standing.event === id) return event
    return (await store.get(inboundEvents, standing.event)) ?? event
  }

  /** Decides what an event has come to, unless that was done; answers the event as it then stands. */
  const decide = async <E extends InboundEvent>(event: E, taskId: string): Promise<E> => {
    if (event.taskId !== undefined) return event
    const { row } = await store.commit<InboundEvent>({
      update: inboundEvents,
      key: event.id,
      when: { taskId: null },
      set: { taskId },
    })
    return { ...event, taskId: row?.taskId ?? taskId }
  }

  /**
   * The task that goes on for a claim: its own, stored here where that is still to be done, or one that somebody started
   * from what has ended. The claim stays as it is then: that it names the task of its own event is what `make` goes by.
   */
  const liveTask = async ({ event: id, taskId = '' }: InboundClaim): Promise<string | undefined> => {
    const isOver = await tasks.isOver(taskId)
    if (isOver !== undefined) return isOver ? tasks.liveLike(taskId) : taskId
    const event = await store.get(inboundEvents, id)
    if (event === undefined) return undefined
    // Its owner is between the claim and the task, or died there. An event that has come to another task makes none.
    if ((await decide(event, taskId)).taskId !== taskId) return undefined
    await make(event)
    return taskId
  }

  /** Takes the issue in place of whoever has it; answers whether nobody was faster. */
  const take = async (event: Wanting, standing: InboundClaim | undefined): Promise<boolean> => {
    const claim = { event: event.id, taskId: event.makes }
    const key = issueKey(event)
    const { applied } = await store.commit<InboundClaim>(
      standing === undefined
        ? { insert: inboundClaims, row: { id: key, ...claim } }
        : { update: inboundClaims, key, when: { taskId: standing.taskId ?? null }, set: claim },
    )
    return applied
  }

  /** Decides the task of an event: the one that its issue has, else its own. Undefined when others were always faster. */
  const decideTask = async (event: Wanting): Promise<Wanting | undefined> => {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const standing = await store.get(inboundClaims, issueKey(event))
      const isOwn = standing?.taskId === event.makes
      const live = standing && !isOwn ? await liveTask(standing) : undefined
      if (live !== undefined) return decide(event, live)
      // Only whoever has the issue decides for its own task, so that no issue has two.
      if (isOwn || (await take(event, standing))) return decide(event, event.makes)
    }
    return undefined
  }

  return { firstDelivered, decide, decideTask }
}
