import { Problem } from '../core/errors.ts'
import type { Trace } from '../core/trace.ts'
import type { Ids } from '../ports/ids.ts'
import type { AnyWrite, Store, Write } from '../ports/store.ts'
import type { Task } from '../tasks/schema.ts'
import type { Ask } from './ask.ts'
import type { WebhookTasks } from './needs.ts'
import type { ReceivedEvent } from './receive.ts'
import { type InboundClaim, type InboundEvent, inboundClaims, inboundEvents } from './rows.ts'
import { taskOf } from './task-of.ts'

type Needs = { store: Store; tasks: WebhookTasks; ids: Ids }

type Asking = { event: InboundEvent; ask: Ask; trace: Trace | undefined }

/** An event as it is stored, and its task; undefined where it asked for none. */
export type StoredEvent = { event: InboundEvent; task: Task | undefined }

const MOST_TRIES = 20

/**
 * Stores an event with its task, so that there is one task for the same body, for the same delivery id, and, while that
 * goes on, for the same issue. The event, its claims and a new task are one commit, on condition that no claim changed
 * since it was read; when one did, all is read again. Throws Problem `unavailable` when others were always faster.
 */
export const createDeduplicate = ({ store, tasks, ids }: Needs) => {
  const claimedTask = async (claim: InboundClaim | undefined): Promise<Task | undefined> => {
    const taskId = claim && (claim.taskId ?? (await store.get(inboundEvents, claim.event))?.taskId)
    return taskId === undefined ? undefined : tasks.find(taskId)
  }

  /** The task that goes on for a claimed issue: the claimed one, or one that was started from what has ended. */
  const unfinishedTask = async (claim: InboundClaim | undefined): Promise<Task | undefined> => {
    const task = await claimedTask(claim)
    return task?.completedAt === undefined ? task : tasks.unfinishedLike(task.id)
  }

  /** Resolves to undefined when another event was faster, as both functions below do. */
  const commit = async (
    event: InboundEvent,
    known: InboundEvent | undefined,
    rows: readonly AnyWrite[] = [],
    task?: Task,
  ): Promise<StoredEvent | undefined> => {
    const { applied } = await store.commit(eventWrite(event, known), rows)
    return applied ? { event, task } : undefined
  }

  const storeWithTask = async (
    { event, ask, trace }: Asking,
    known: InboundEvent | undefined,
  ): Promise<StoredEvent | undefined> => {
    const { id, sender, delivery, expiresAt } = event
    const keyOfDelivery = delivery && `delivery:${sender}:${delivery}`
    const keyOfIssue = `issue:${sender}:${ask.issue}`
    const [ofDelivery, ofIssue] = await Promise.all([
      keyOfDelivery ? store.get(inboundClaims, keyOfDelivery) : undefined,
      store.get(inboundClaims, keyOfIssue),
    ])
    const delivered = await claimedTask(ofDelivery)
    if (delivered) return commit({ ...event, taskId: delivered.id }, known, [], delivered)

    const unfinished = await unfinishedTask(ofIssue)
    const taskId = unfinished?.id ?? ids.next('task')
    const claims = keyOfDelivery
      ? [claimWrite({ id: keyOfDelivery, event: id, taskId, expiresAt }, ofDelivery)]
      : []
    if (unfinished) return commit({ ...event, taskId }, known, claims, unfinished)

    const principal = { userId: `webhook:${sender}`, role: 'user' } as const
    const body = taskOf(sender, event.event, ask, taskId)
    const { task, write } = tasks.draft(principal, body, { id: taskId, trace })
    const claimOfIssue = claimWrite({ id: keyOfIssue, event: id, taskId }, ofIssue)
    return commit({ ...event, taskId, makes: taskId }, known, [...claims, claimOfIssue, write], task)
  }

  const attempt = async (
    { event, ask }: ReceivedEvent,
    trace: Trace | undefined,
  ): Promise<StoredEvent | undefined> => {
    const known = await store.get(inboundEvents, event.id)
    const task = known?.taskId === undefined ? undefined : await tasks.find(known.taskId)
    if (known && (task || typeof ask === 'string')) return { event: known, task }
    return typeof ask === 'string'
      ? commit({ ...event, nothing: ask }, known)
      : storeWithTask({ event, ask, trace }, known)
  }

  return async (received: ReceivedEvent, trace?: Trace): Promise<StoredEvent> => {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const stored = await attempt(received, trace)
      if (stored !== undefined) return stored
    }
    throw contended()
  }
}

/**
 * Inserts an event. One that is known without a task, since it asked for nothing when it came first, takes the new reading
 * on condition that none did before: so one body makes one task.
 */
const eventWrite = (event: InboundEvent, known: InboundEvent | undefined): Write<InboundEvent> => {
  if (known === undefined) return { insert: inboundEvents, row: event }
  const { id: key, receivedAt: _first, body: _same, sender: _too, ...set } = event
  const when = { taskId: known.taskId ?? null }
  return { update: inboundEvents, key, when, set, unset: ['nothing'] }
}

/** Makes a claim, or takes over one whose task has ended, on condition that no other event did. */
const claimWrite = (row: InboundClaim, known: InboundClaim | undefined): Write<InboundClaim> => {
  if (known === undefined) return { insert: inboundClaims, row }
  const { id: key, ...set } = row
  return { update: inboundClaims, key, when: { taskId: known.taskId ?? null }, set }
}

const contended = () =>
  new Problem('unavailable', 'webhook_contended', 'Too many events of this issue at once: send it again', {
    retryAfterMs: 1_000,
  })
