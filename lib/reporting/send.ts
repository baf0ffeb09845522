import { definedFields } from '../core/defined-fields.ts'
import { errorMessage, Problem, type ProblemKind } from '../core/errors.ts'
import type { Masker } from '../core/masker.ts'
import { retry } from '../core/retry.ts'
import { iso } from '../core/time.ts'
import { leaseHolds } from '../core/wrong-clock.ts'
import type { DeliveryRow, Handled } from '../deliveries/schema.ts'
import type { AccountAccess } from '../oauth/schema.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store, Update } from '../ports/store.ts'
import type { Asked, PostedComment, TrackerAccount, Trackers } from '../ports/tracker.ts'
import type { Task } from '../tasks/schema.ts'
import { createCommentDraft } from './draft.ts'
import { type ReportRow, reports, toDeliveryId } from './rows.ts'

type Needs = {
  store: Store
  clock: Clock
  masker: Masker
  trackers: Trackers
  access: Pick<AccountAccess, 'writerAt' | 'validToken'>
  findTask: (id: string) => Promise<Task | undefined>
  isOn: () => boolean
  /** The address of the service, if it is configured. */
  publicUrl: string | undefined
}

/** Of all requests of one send; with the token and the writes it stays below LONGEST_SEND_MS. */
const SEND_MS = 15_000
/** Longer than a send, shorter than the lease of its delivery. */
const LEASE_MS = 30_000
const BUSY_WAIT_MS = 30_000
const LONGEST_MESSAGE = 500
/** The most accounts that a report is tried with. */
const MOST_ACCOUNTS = 3

/** Whether a send of a report is under way. */
export const isBeingSent = ({ sendingUntil = 0 }: ReportRow, now: number): boolean =>
  leaseHolds(sendingUntil, LEASE_MS, now)

/** The kinds of errors that are retried; the task shows any other error. */
const REPEATED: ReadonlySet<ProblemKind> = new Set(['rate_limited', 'unavailable', 'internal'])

const DONE: Handled = { outcome: 'delivered' }

/**
 * Sends one report. Its lease prevents concurrent sends. The beginning of a first send is stored before it: a later
 * send then searches for the comment, so that there is one even if a process dies in between.
 */
export const createSendReport = (needs: Needs) => {
  const { store, clock, masker, trackers, access, findTask, isOn } = needs
  const commentDraft = createCommentDraft(needs)

  const change = async (row: ReportRow, changes: Pick<Update<ReportRow>, 'set' | 'unset'>) => {
    const when = { endedAt: row.endedAt ?? null, sendingUntil: row.sendingUntil ?? null, passedTo: null }
    return (await store.commit<ReportRow>({ update: reports, key: row.id, when, ...changes })).applied
  }

  const claim = async (row: ReportRow): Promise<ReportRow | undefined> => {
    if (isBeingSent(row, clock.now())) return undefined
    const sendingUntil = clock.now() + LEASE_MS
    const begun = row.commentId === undefined ? { begun: true as const } : {}
    const isClaimed = await change(row, { set: { sendingUntil, ...begun } })
    return isClaimed ? { ...row, sendingUntil, ...begun } : undefined
  }

  /** Makes the comment, or changes an existing one. With `isRepeated` an unknown comment may exist. */
  const post = async (
    row: ReportRow,
    asked: Asked,
    task: Task,
    isRepeated: boolean,
  ): Promise<PostedComment> => {
    const tracker = trackers[row.provider]
    const draft = commentDraft(task, row.mark)
    const commentId = row.commentId ?? (isRepeated ? (await tracker.find(asked, row.mark))?.id : undefined)
    if (commentId === undefined) return tracker.comment(asked, draft)
    try {
      return await tracker.edit(asked, commentId, draft)
    } catch (thrown) {
      if (!(thrown instanceof Problem) || thrown.kind !== 'missing') throw thrown
    }
    // The comment was deleted: a new one is made under a new mark.
    const remade = (row.remade ?? 0) + 1
    const mark = `${row.mark.split('.')[0]}.${remade}`
    const isStored = await change(row, { set: { remade, mark, begun: true }, unset: ['commentId', 'url'] })
    if (!isStored) throw lost()
    return tracker.comment(asked, { ...draft, mark })
  }

  /** The token of an account; undefined when the provider gives none any more, which the account then shows. */
  const usableToken = async (id: string, { provider }: ReportRow): Promise<string | undefined> => {
    try {
      return await access.validToken(id, provider)
    } catch (thrown) {
      if (thrown instanceof Problem && thrown.kind === 'invalid') return undefined
      throw thrown
    }
  }

  /** The account with write access that was linked last; the next one when its connection has ended. */
  const accountAt = async (row: ReportRow): Promise<TrackerAccount> => {
    for (let tries = 0; tries < MOST_ACCOUNTS; tries++) {
      const account = await access.writerAt(row.provider)
      if (account === undefined) break
      const { id, ...of } = account
      const token = await usableToken(id, row)
      if (token !== undefined) return { ...of, token }
    }
    throw notLinked()
  }

  const attempt = async (row: ReportRow, task: Task, isRepeated: boolean): Promise<Handled> => {
    const began = clock.monotonic()
    try {
      if (!isOn()) throw turnedOff()
      const as = await accountAt(row)
      const timeoutMs = SEND_MS - (clock.monotonic() - began)
      const { id, url } = await post(row, { as, issue: row.issue, timeoutMs }, task, isRepeated)
      await retry(() => reported(row, id, url), clock)
      return DONE
    } catch (thrown) {
      const handled = toHandled(thrown)
      const code = thrown instanceof Problem ? thrown.code : 'internal_error'
      const error = { code, message: errorMessage(thrown, LONGEST_MESSAGE, masker.logText) }
      const status = handled.outcome === 'refused' ? ('failed' as const) : undefined
      await change(row, { set: { error, ...definedFields({ status }) }, unset: ['sendingUntil'] })
      return { ...handled, error: error.message }
    }
  }

  /** Stores the comment's id even if the task has ended again: the report of that end changes the comment. */
  const reported = async (row: ReportRow, commentId: string, url: string | undefined): Promise<void> => {
    const comment = { commentId, ...definedFields({ url }) }
    const state = { status: 'reported' as const, reportedAt: iso(clock.now()) }
    if (await change(row, { set: { ...comment, ...state }, unset: ['error', 'begun', 'sendingUntil'] }))
      return
    const when = { sendingUntil: row.sendingUntil ?? null }
    const unset = ['begun', 'sendingUntil'] as const
    await store.commit<ReportRow>({ update: reports, key: row.id, when, set: comment, unset })
  }

  return async ({ id, owner }: Pick<DeliveryRow, 'id' | 'owner'>): Promise<Handled> => {
    const row = await store.get(reports, owner)
    // A later end, and a retried task, have deliveries of their own.
    if (row === undefined || row.passedTo !== undefined || toDeliveryId(row) !== id) return DONE
    if (row.status === 'reported') return DONE
    const task = await findTask(row.taskId)
    if (task?.completedAt !== row.endedAt) return DONE
    const claimed = await claim(row)
    if (task === undefined || claimed === undefined)
      return {
        outcome: 'again',
        error: 'Another process is sending this comment',
        retryAfterMs: BUSY_WAIT_MS,
      }
    return attempt(claimed, task, row.begun === true)
  }
}

const toHandled = (thrown: unknown): Handled => {
  if (!(thrown instanceof Problem) || REPEATED.has(thrown.kind)) {
    const retryAfterMs = thrown instanceof Problem ? thrown.retryAfterMs : undefined
    return { outcome: 'again', ...definedFields({ retryAfterMs }) }
  }
  return { outcome: 'refused' }
}

const notLinked = () =>
  new Problem(
    'forbidden',
    'account_not_linked',
    'No admin has a linked account there with write access. Link one',
  )

const turnedOff = () =>
  new Problem('forbidden', 'reporting_off', 'Comments on issues were turned off before this one was sent')

const lost = () => new Problem('unavailable', 'report_contended', 'The comment changed and is sent again')
