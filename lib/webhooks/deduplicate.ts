import { Problem } from '../core/errors.ts'
import { type Principal, webhookCreator } from '../core/principal.ts'
import type { Trace } from '../core/trace.ts'
import type { Ids } from '../ports/ids.ts'
import type { AnyWrite, Store, Write } from '../ports/store.ts'
import type { IssueRef } from '../ports/tracker.ts'
import type { CreateTask, Task } from '../tasks/schema.ts'
import type { Ask, AskKind, Withdrawal } from './ask.ts'
import type { ReceivedEvent } from './receive.ts'
import { type InboundClaim, type InboundEvent, inboundClaims, inboundEvents } from './rows.ts'
import type { Sender } from './schema.ts'
import { webhookTask } from './webhook-task.ts'

export type WebhookTasks = {
  /** A task, and the writes that store and queue it. A `watched` one sends a notice each time it ends. */
  draft(
    principal: Principal,
    body: CreateTask,
    more: { id?: string; watched?: true; trace?: Trace | undefined },
  ): Promise<{ task: Task; write: AnyWrite; rows: readonly AnyWrite[] }>
  /** Commits as storage does, and logs the new task. */
  commit: Store['commit']
  find(id: string): Promise<Task | undefined>
  /** Cancels a task that no worker has claimed; undefined for any other task. */
  cancelWaiting(principal: Principal, id: string): Promise<Task | undefined>
  /** The unfinished task that succeeds an ended one of the same issue: a retry, or an earlier task that was redriven. */
  unfinishedLike(id: string): Promise<Task | undefined>
}

/** The writes that make the service report the end of a task at its issue, for the commit of the task. */
type MakeReportWrites = (
  task: Pick<Task, 'id' | 'createdAt'>,
  sender: Sender,
  issue: IssueRef,
) => readonly AnyWrite[]

type Needs = {
  store: Store
  tasks: WebhookTasks
  ids: Ids
  makeReportWrites: MakeReportWrites
  /** Whether a waiting task is cancelled when its issue is closed or loses its label. */
  cancelsClosed: () => boolean
}

type Asking = { event: InboundEvent; ask: Ask; trace: Trace | undefined }

type StoredEvent = { event: InboundEvent; task: Task | undefined }

const MOST_TRIES = 20
/** The longest name of an issue; at an issue with a longer name nothing is reported. */
const LONGEST_NAME = 500

/**
 * Stores an event with its task, so that there is one task for the same body, for the same delivery id, and, while it is
 * unfinished, for the same issue. A new issue and its labels are one request, even after its task has ended. One commit
 * stores the event, its claims and a new task, on condition that no claim changed since the read; if one did, all is read
 * again. Throws Problem `unavailable` when other writers win every time.
 */
export const createDeduplicate = ({ store, tasks, ids, makeReportWrites, cancelsClosed }: Needs) => {
  const claimedTask = async (claim: InboundClaim | undefined): Promise<Task | undefined> =>
    claim && tasks.find(claim.taskId)

  /** The unfinished task of a claimed issue: the claimed task, or a successor of one that has ended. */
  const unfinishedTask = async (claim: InboundClaim | undefined): Promise<Task | undefined> => {
    const task = await claimedTask(claim)
    return task?.completedAt === undefined ? task : tasks.unfinishedLike(task.id)
  }

  /** The task that the same labels of the same new issue requested, even if it has ended. */
  const sameTask = async (
    { kind, openedWith }: Ask,
    claim: InboundClaim | undefined,
  ): Promise<Task | undefined> => {
    const isKnown = kind !== 'comment' && claim?.openedWith?.includes(kind)
    if (!isKnown && openedWith === undefined) return undefined
    const task = await claimedTask(claim)
    return task && (isKnown || requestedKind(task) !== 'comment') ? task : undefined
  }

  /** Resolves to undefined when another event won; so do both functions below. */
  const commit = async (
    event: InboundEvent,
    known: InboundEvent | undefined,
    rows: readonly AnyWrite[] = [],
    task?: Task,
  ): Promise<StoredEvent | undefined> => {
    const { applied } = await tasks.commit(eventWrite(event, known), rows)
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

    const there = (await unfinishedTask(ofIssue)) ?? (await sameTask(ask, ofIssue))
    const taskId = there?.id ?? ids.next('task')
    const claims = keyOfDelivery
      ? [claimWrite({ id: keyOfDelivery, event: id, taskId, expiresAt }, ofDelivery)]
      : []
    if (there) return commit({ ...event, taskId }, known, [...claims, ...openedClaims(ofIssue, ask)], there)

    const body = webhookTask(sender, event.event, ask, taskId)
    const more = { id: taskId, watched: true, trace } as const
    const { task, write, rows } = await tasks.draft(senderPrincipal(sender), body, more)
    const report = isBounded(ask.at) ? makeReportWrites(task, sender, ask.at) : []
    const claimOfIssue = claimWrite(withOpened({ id: keyOfIssue, event: id, taskId }, ask), ofIssue)
    return commit(
      { ...event, taskId, makes: taskId },
      known,
      [...claims, claimOfIssue, write, ...rows, ...report],
      task,
    )
  }

  /** The waiting task is cancelled before the event is stored: after a death in between, the sender repeats the event. */
  const withdraw = async (
    event: InboundEvent,
    { issue, withdrawn }: Withdrawal,
    known: InboundEvent | undefined,
  ): Promise<StoredEvent | undefined> => {
    const { sender } = event
    const claim = await store.get(inboundClaims, `issue:${sender}:${issue}`)
    const task = await unfinishedTask(claim)
    const isMeant = withdrawn === 'all' || withdrawn.some((kind) => kind === (task && requestedKind(task)))
    const cancelled =
      task && isMeant && cancelsClosed()
        ? await tasks.cancelWaiting(senderPrincipal(sender), task.id)
        : undefined
    const nothing = cancelled ? 'The pending task of this issue was cancelled' : 'No pending task to cancel'
    const left =
      withdrawn === 'all' ? undefined : claim?.openedWith?.filter((kind) => !withdrawn.includes(kind))
    const update = claim && left ? [claimWrite({ ...claim, openedWith: left }, claim)] : []
    return commit({ ...event, nothing }, known, update)
  }

  const attempt = async (
    { event, verdict }: ReceivedEvent,
    trace: Trace | undefined,
  ): Promise<StoredEvent | undefined> => {
    const known = await store.get(inboundEvents, event.id)
    const task = known?.taskId === undefined ? undefined : await tasks.find(known.taskId)
    const isAsk = typeof verdict !== 'string' && 'kind' in verdict
    if (known && (task || !isAsk)) return { event: known, task }
    if (isAsk) return storeWithTask({ event, ask: verdict, trace }, known)
    return typeof verdict === 'string'
      ? commit({ ...event, nothing: verdict }, known)
      : withdraw(event, verdict, known)
  }

  return async (received: ReceivedEvent, trace?: Trace): Promise<StoredEvent> => {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const stored = await attempt(received, trace)
      if (stored !== undefined) return stored
    }
    throw contended()
  }
}

const isBounded = ({ id, site = '' }: Ask['at']): boolean =>
  id.length <= LONGEST_NAME && site.length <= LONGEST_NAME

const senderPrincipal = (sender: Sender) => ({ userId: webhookCreator(sender), role: 'user' }) as const

const withOpened = (claim: InboundClaim, { openedWith }: Ask): InboundClaim =>
  openedWith ? { ...claim, openedWith } : claim

const openedClaims = (claim: InboundClaim | undefined, ask: Ask): AnyWrite[] =>
  claim && ask.openedWith ? [claimWrite(withOpened(claim, ask), claim)] : []

/** The kind of request that a task was made for; see `webhookTask`. */
const requestedKind = ({ metadata }: Task): AskKind | undefined =>
  (metadata as { webhook?: { asks?: AskKind } } | undefined)?.webhook?.asks

/** Inserts an event, or gives one without a task the new reading: one body makes one task. */
const eventWrite = (event: InboundEvent, known: InboundEvent | undefined): Write<InboundEvent> => {
  if (known === undefined) return { insert: inboundEvents, row: event }
  const { id: key, receivedAt: _first, body: _same, sender: _too, ...set } = event
  const when = { taskId: known.taskId ?? null }
  return { update: inboundEvents, key, when, set, unset: ['nothing'] }
}

/** Makes a claim, or replaces one whose task has ended, on condition that no other event did. */
const claimWrite = (row: InboundClaim, known: InboundClaim | undefined): Write<InboundClaim> => {
  if (known === undefined) return { insert: inboundClaims, row }
  const { id: key, ...set } = row
  return { update: inboundClaims, key, when: { taskId: known.taskId }, set }
}

const contended = () =>
  new Problem('unavailable', 'webhook_contended', 'Too many events of this issue at once. Send it again', {
    retryAfterMs: 1_000,
  })
