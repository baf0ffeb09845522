import type * as z from 'zod'
import { cutText } from '../core/cut-text.ts'
import { invalid, missing } from '../core/errors.ts'
import { foldedMessage } from '../core/failure-group.ts'
import { getOrCreate } from '../core/get-or-create.ts'
import type { Actor } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Counters, Store } from '../ports/store.ts'
import type { ListFailuresQuery } from './contract.ts'
import {
  deadLetters,
  FAILURE_COUNTERS,
  type FailureMute,
  failureMember,
  failureMutes,
  partsOfMember,
} from './rows.ts'
import type { DlqItem, FailureGroup } from './schema.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const USUAL_MS = 7 * DAY_MS
const LONGEST_MS = 30 * DAY_MS
/** The most complete bars of a sparkline; the current one comes on top. */
const MOST_BUCKETS = 28
/** The most groups of one answer; each costs a few reads. */
const MOST_GROUPS = 50
const SAMPLE = 5
const MOST_CREATORS = 20
/** Characters of the newest message: its first lines are shown. */
const MOST_MESSAGE = 1_000

type Needs = {
  store: Store
  clock: Pick<Clock, 'now'>
  audit: (actor: Actor, action: string, details: object) => Promise<void>
}

type CountedGroup = Pick<FailureGroup, 'fingerprint' | 'count' | 'pending' | 'spark'>

export type Failures = ReturnType<typeof createFailures>

/** Failures grouped by their cause: numbers from hourly counters, texts from the dead letters of the group. */
export const createFailures = ({ store, clock, audit }: Needs) => {
  const isMuted = async (fingerprint: string): Promise<boolean> =>
    (await store.get(failureMutes, fingerprint)) !== undefined

  const newestLetters = async (fingerprint: string): Promise<readonly DlqItem[]> =>
    (await store.page(deadLetters, { ...lettersQuery(fingerprint), order: 'desc', limit: SAMPLE })).rows

  /** Undefined for a group without dead letters: its counters are wrong until the next recount. */
  const describedGroup = async ({
    fingerprint,
    count,
    pending,
    spark,
  }: CountedGroup): Promise<FailureGroup | undefined> => {
    const [newest, { rows: oldest }, muted] = await Promise.all([
      newestLetters(fingerprint),
      store.page(deadLetters, { ...lettersQuery(fingerprint), order: 'asc', limit: 1 }),
      isMuted(fingerprint),
    ])
    const [last] = newest
    const [first = last] = oldest
    if (last === undefined || first === undefined) return undefined
    return {
      fingerprint,
      code: last.code ?? 'unknown',
      message: foldedMessage(last.lastError),
      agent: last.agent ?? 'unknown',
      count,
      pending,
      firstSeen: first.createdAt,
      lastSeen: last.createdAt,
      lastMessage: cutText(last.lastError, MOST_MESSAGE),
      spark,
      taskIds: [...new Set(newest.map(({ taskId }) => taskId))],
      muted,
    }
  }

  /** Groups with failures since a time, most first. Throws Problem `invalid` for a time too long ago. */
  const list = async ({ since }: z.output<typeof ListFailuresQuery>) => {
    const now = clock.now()
    const from = startOfHour(since === undefined ? now - USUAL_MS : Date.parse(since))
    if (from > now || from < startOfHour(now - LONGEST_MS))
      throw invalid([{ path: 'since', message: 'must be within the last 30 days' }])
    const bucketMs = bucketLengthMs(now - from)
    const members = await store.counters(FAILURE_COUNTERS, failureMember(iso(from), ''))
    const groups = countedGroups(members, { from, bucketMs, buckets: Math.ceil((now - from + 1) / bucketMs) })
    const most = groups.toSorted((a, b) => b.count - a.count).slice(0, MOST_GROUPS)
    const failures = (await Promise.all(most.map(describedGroup))).filter((group) => group !== undefined)
    return { failures, total: groups.length, since: iso(from), bucketMs }
  }

  /** Who created the tasks of the newest dead letters of a group that are pending. */
  const pendingCreators = async (fingerprint: string): Promise<string[]> => {
    const where = [{ field: 'status' as const, in: ['pending'] }]
    const newest = { ...lettersQuery(fingerprint), where, order: 'desc', limit: MOST_CREATORS } as const
    const { rows } = await store.page(deadLetters, newest)
    return [...new Set(rows.flatMap(({ createdBy }) => createdBy ?? []))]
  }

  /** The groups that are not muted and have pending dead letters since a time, most failures first. */
  const pendingGroups = async (since: string) => {
    const { failures } = await list({ since })
    const pending = failures.filter((group) => group.pending > 0 && !group.muted)
    return Promise.all(
      pending.map(async (group) => ({ group, createdBy: await pendingCreators(group.fingerprint) })),
    )
  }

  /** Throws Problem `missing` for a group without any failure. */
  const mute = async (actor: Actor, fingerprint: string): Promise<void> => {
    if ((await newestLetters(fingerprint)).length === 0) throw missing('Failure group')
    const row: FailureMute = { fingerprint, mutedBy: actor.userId, mutedAt: iso(clock.now()) }
    const { applied } = await store.commit<FailureMute>({ insert: failureMutes, row })
    if (applied) await audit(actor, 'failure.mute', { fingerprint })
  }

  const unmute = async (actor: Actor, fingerprint: string): Promise<void> => {
    const { applied } = await store.commit<FailureMute>({ remove: failureMutes, key: fingerprint })
    if (applied) await audit(actor, 'failure.unmute', { fingerprint })
  }

  return { list, pendingGroups, mute, unmute, isMuted }
}

const lettersQuery = (is: string) => ({ index: 'byFingerprint', is })

const startOfHour = (ms: number): number => Math.floor(ms / HOUR_MS) * HOUR_MS

/** Whole hours, so that each hourly counter belongs to one bucket. */
const bucketLengthMs = (spanMs: number): number =>
  Math.max(1, Math.ceil(Math.floor(spanMs / HOUR_MS) / MOST_BUCKETS)) * HOUR_MS

/** Groups the counters of all hours by failure group. */
const countedGroups = (
  members: Readonly<Record<string, Counters>>,
  { from, bucketMs, buckets }: { from: number; bucketMs: number; buckets: number },
): CountedGroup[] => {
  const groups = new Map<string, CountedGroup>()
  for (const [member, { count = 0, pending = 0 }] of Object.entries(members)) {
    const { atMs, fingerprint } = partsOfMember(member)
    const empty = () => ({ fingerprint, count: 0, pending: 0, spark: Array<number>(buckets).fill(0) })
    const group = getOrCreate(groups, fingerprint, empty)
    const at = Math.min(buckets - 1, Math.floor((atMs - from) / bucketMs))
    group.count += count
    group.pending += pending
    group.spark[at] = (group.spark[at] ?? 0) + count
  }
  return [...groups.values()].filter(({ count }) => count > 0)
}
