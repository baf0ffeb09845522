import { Problem } from '../core/errors.ts'
import type { Store } from '../ports/store.ts'
import type { Task } from '../tasks/schema.ts'
import { createClaims, isWanting, type Wanting } from './claims.ts'
import type { WebhookTasks } from './needs.ts'
import { type InboundEvent, inboundEvents } from './rows.ts'

type Needs = { store: Store; tasks: WebhookTasks }

/**
 * Brings a stored event to its task, wherever those who did so before it came to: every step is one conditional write that
 * another may have made. The delivery id is taken, then the issue, then it is decided which task the event comes to, and
 * only then is that made, under the id that the event has had from the start.
 */
export const createSettle = ({ store, tasks }: Needs) => {
  /** Makes the task of an event that has the right to, or answers the one that is there. */
  const make = async ({ id, sender, makes = '' }: InboundEvent): Promise<Task | undefined> => {
    const there = await tasks.find(makes)
    if (there !== undefined) return there
    const wants = (await store.get(inboundEvents, id, true))?.wants
    return wants && tasks.prepare({ userId: `webhook:${sender}`, role: 'user' }, wants, makes)()
  }
  const claims = createClaims({ store, tasks, make })

  const close = ({ id }: InboundEvent) =>
    store.commit<InboundEvent>({ update: inboundEvents, key: id, unset: ['openSince'] })

  const decided = async (event: Wanting): Promise<Wanting> => {
    if (event.taskId !== undefined) return event
    const first = await claims.firstDelivered(event)
    // It has the delivery itself, so that this goes no deeper; and its task has to be there before anybody is told of it.
    const task = first.id === event.id ? undefined : await settle(first)
    if (task !== undefined) return claims.decide(event, task.id)
    const after = await claims.decideTask(event)
    if (after === undefined) throw contended()
    return after
  }

  /** The task that an event has come to; undefined for one that wants none. */
  const settle = async (event: InboundEvent): Promise<Task | undefined> => {
    if (!isWanting(event)) return undefined
    const after = await decided(event)
    const { taskId = '', makes, openSince } = after
    if (openSince === undefined) return tasks.find(taskId)
    const task = taskId === makes ? await make(after) : await tasks.find(taskId)
    await close(after)
    return task
  }

  return settle
}

const contended = () =>
  new Problem('unavailable', 'webhook_contended', 'Too many events of this issue at once: the task follows', {
    retryAfterMs: 1_000,
  })
