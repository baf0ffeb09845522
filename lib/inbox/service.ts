import { createHash } from 'node:crypto'
import type { Approval } from '../approvals/schema.ts'
import { fitting } from '../core/answer-size.ts'
import { definedFields } from '../core/defined-fields.ts'
import { invalid, Problem } from '../core/errors.ts'
import { getOrCreate } from '../core/get-or-create.ts'
import type { Principal } from '../core/principal.ts'
import { iso, utcMonth } from '../core/time.ts'
import { timeOfId } from '../core/ulid.ts'
import type { Hold } from '../holds/schema.ts'
import type { Webhook } from '../outbound-webhooks/schema.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { FailureGroup } from '../queue/schema.ts'
import type { TaskRow } from '../tasks/schema.ts'
import type { ListInbox } from './contract.ts'
import { type InboxMark, inboxMarks } from './rows.ts'
import {
  INBOX_KINDS,
  type InboxCounts,
  type InboxItem,
  type InboxItemOf,
  type InboxKind,
  type ReviewedTask,
} from './schema.ts'

const DAY_MS = 86_400_000
/** How far back failures and results are listed. */
const SINCE_MS = 14 * DAY_MS
/** The longest that anybody may snooze an item. */
const LONGEST_SNOOZE_MS = 30 * DAY_MS
/** Longer than an item of one occurrence is listed, so that a mark outlives what it hides. */
const MARK_KEPT_MS = 45 * DAY_MS
/** The latest marks of a user that are read: more than items are listed. */
const MOST_MARKS = 1_000
const MOST_TASK_IDS = 5

type MissingRunner = TaskRow & { noRunner: string }

/** The causes of items, each read by the domain that has it. */
export type Causes = {
  approvals: (principal: Principal) => Promise<readonly Approval[]>
  failures: (since: string) => Promise<readonly { group: FailureGroup; createdBy: readonly string[] }[]>
  holds: () => Promise<readonly Hold[]>
  /** The number of tasks that wait for a budget. */
  waitingForBudget: () => Promise<number>
  withoutRunner: () => Promise<readonly MissingRunner[]>
  webhooks: () => Promise<readonly Webhook[]>
  /** Results of a time, with or without a question, that no other run follows. */
  results: (sinceMs: number, isWanted: (task: TaskRow) => boolean) => Promise<readonly TaskRow[]>
}

type Needs = { store: Store; clock: Pick<Clock, 'now'>; causes: Causes }
type Marked = Pick<InboxItem, 'key' | 'version'>
type Marks = ReadonlyMap<string, Pick<InboxMark, 'version' | 'until'>>

export type Inbox = ReturnType<typeof createInbox>

/**
 * What needs a user. Items are derived from their causes each time; only what a user marked is stored, for an item's key
 * and version, so that an item is gone with its cause, and a new occurrence opens it again.
 */
export const createInbox = ({ store, clock, causes }: Needs) => {
  const readMarks = async (userId: string): Promise<Marks> => {
    const newest = { index: 'ofUser', is: userId, order: 'desc', limit: MOST_MARKS } as const
    const { rows } = await store.page(inboxMarks, newest)
    return new Map(rows.map((mark) => [mark.key, mark]))
  }

  const derive = async (principal: Principal, marks: Marks, isInScope: (mine: boolean) => boolean) => {
    const { userId } = principal
    const now = clock.now()
    const isOwn = (createdBy: string) => createdBy === userId
    const isWanted = (task: TaskRow) =>
      isInScope(isOwn(task.createdBy)) && !isDone(endItem(task, true), marks)
    const [approvals, failures, holds, waiting, runnerless, webhooks, results] = await Promise.all([
      causes.approvals(principal),
      causes.failures(iso(now - SINCE_MS)),
      causes.holds(),
      causes.waitingForBudget(),
      causes.withoutRunner(),
      causes.webhooks(),
      causes.results(SINCE_MS, isWanted),
    ])
    const others: InboxItem[] = [
      ...failures.map(({ group, createdBy }) => failureItem(group, createdBy.some(isOwn))),
      ...holds.map(holdItem),
      ...(waiting > 0 ? [budgetItem(waiting, now)] : []),
      ...runnerItems(runnerless, userId),
      ...webhooks.map((webhook) => webhookItem(webhook, isOwn(webhook.createdBy))),
    ]
    const calls = approvals.map((approval) => approvalItem(approval, isOwn(approval.userId)))
    const ends = results.map((task) => endItem(task, isOwn(task.createdBy)))
    const [questions, reviews] = divided(ends, ({ kind }) => kind === 'question')
    return [...calls, ...questions.sort(newestFirst), ...[...others, ...reviews].sort(newestFirst)].filter(
      ({ mine }) => isInScope(mine),
    )
  }

  /** The end of the snooze of an item, if it is snoozed now. */
  const snoozedUntil = ({ key, version }: InboxItem, marks: Marks): string | undefined => {
    const mark = marks.get(key)
    const until = mark?.version === version ? mark.until : undefined
    return until !== undefined && until > iso(clock.now()) ? until : undefined
  }

  const list = async (
    principal: Principal,
    { scope, state, limit = Number.POSITIVE_INFINITY }: ListInbox,
  ) => {
    const marks = await readMarks(principal.userId)
    const isInScope = (mine: boolean) => scope === 'all' || mine
    const items = (await derive(principal, marks, isInScope)).filter((item) => !isDone(item, marks))
    const withState = items.map((item) => ({
      ...item,
      ...definedFields({ snoozedUntil: snoozedUntil(item, marks) }),
    }))
    const [snoozed, open] = divided(withState, (item) => item.snoozedUntil !== undefined)
    const wakesAt = snoozed.flatMap((item) => item.snoozedUntil ?? []).sort()[0]
    return {
      items: fitting((state === 'open' ? open : snoozed).filter((_, n) => n < limit)),
      counts: { open: open.length, snoozed: snoozed.length, ofKind: countKinds(open) },
      ...definedFields({ wakesAt }),
    }
  }

  /** Replaces the mark of an item. A concurrent mark of the same item may win: both are of the same user. */
  const mark = async (row: InboxMark): Promise<void> => {
    const { applied } = await store.commit<InboxMark>({ insert: inboxMarks, row })
    if (applied) return
    const { userId, key, until, ...set } = row
    await store.commit<InboxMark>({
      update: inboxMarks,
      key: [userId, key],
      set: { ...set, ...definedFields({ until }) },
      unset: until === undefined ? ['until'] : [],
    })
  }

  const markAll = async ({ userId }: Principal, items: readonly Marked[], more: { until?: string }) => {
    const now = clock.now()
    const marked = { markedAt: iso(now), expiresAt: now + MARK_KEPT_MS, ...more }
    // The last of several marks of one item counts; no two writes of a row run at once.
    const distinct = new Map(items.map(({ key, version }) => [key, version]))
    await Promise.all([...distinct].map(([key, version]) => mark({ userId, key, version, ...marked })))
    return items.length
  }

  return {
    list,

    /** Throws Problem `invalid` `inbox_decision_needed` for an approval. */
    complete: async (principal: Principal, items: readonly Marked[]): Promise<number> => {
      if (items.some(({ key }) => key.startsWith(`${'approval' satisfies InboxKind}:`)))
        throw decisionNeeded()
      return markAll(principal, items, {})
    },

    /** Throws Problem `invalid` for a time that is past or too far away. */
    snooze: async (principal: Principal, items: readonly Marked[], until: string): Promise<number> => {
      const untilMs = Date.parse(until)
      const now = clock.now()
      if (untilMs <= now || untilMs > now + LONGEST_SNOOZE_MS)
        throw invalid([{ path: 'until', message: 'must be within the next 30 days' }])
      return markAll(principal, items, { until: iso(untilMs) })
    },

    reopen: async ({ userId }: Principal, items: readonly Marked[]): Promise<number> => {
      const keys = new Set(items.map(({ key }) => key))
      await Promise.all(
        [...keys].map((key) => store.commit<InboxMark>({ remove: inboxMarks, key: [userId, key] })),
      )
      return items.length
    },
  }
}

const decisionNeeded = () =>
  new Problem(
    'invalid',
    'inbox_decision_needed',
    'A tool call is done when you allow or deny it. You can snooze it',
  )

const isDone = ({ key, version }: InboxItem, marks: Marks): boolean => {
  const mark = marks.get(key)
  return mark?.version === version && mark.until === undefined
}

const divided = <Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] => [
  items.filter(isFirst),
  items.filter((item) => !isFirst(item)),
]

const countKinds = (items: readonly InboxItem[]): InboxCounts['ofKind'] =>
  Object.fromEntries(
    INBOX_KINDS.map((kind) => [kind, items.filter((item) => item.kind === kind).length]),
  ) as InboxCounts['ofKind']

const approvalItem = (approval: Approval, mine: boolean): InboxItem => {
  const { id, requestedAt: at } = approval
  return { kind: 'approval', key: `approval:${id}`, version: at, at, mine, approval }
}

const failureItem = (failure: FailureGroup, mine: boolean): InboxItem => {
  const { fingerprint, lastSeen: at } = failure
  return { kind: 'failure', key: `failure:${fingerprint}`, version: at, at, mine, failure }
}

/** A hold that is refused again has a new end, and stays the same occurrence. */
const holdItem = (hold: Hold): InboxItem => {
  const at = iso(timeOfId(hold.id))
  return { kind: 'hold', key: `hold:${hold.provider}`, version: hold.id, at, mine: true, hold }
}

const budgetItem = (waiting: number, now: number): InboxItem => {
  const month = utcMonth(iso(now))
  const [year = 0, of = 0] = month.split('-').map(Number)
  const until = iso(Date.UTC(year, of))
  return { kind: 'budget', key: 'budget', version: month, at: iso(now), mine: true, waiting, until }
}

/** One item for each reason why no runner takes tasks. Another oldest task is another occurrence. */
const runnerItems = (tasks: readonly MissingRunner[], userId: string): InboxItem[] => {
  const byReason = new Map<string, MissingRunner[]>()
  for (const task of tasks) getOrCreate(byReason, task.noRunner, () => []).push(task)
  return [...byReason].flatMap(([reason, waiting]) => {
    const [oldest] = waiting
    if (oldest === undefined) return []
    return {
      kind: 'runner' as const,
      key: `runner:${createHash('sha256').update(reason).digest('base64url')}`,
      version: oldest.id,
      at: oldest.createdAt,
      mine: waiting.some(({ createdBy }) => createdBy === userId),
      reason,
      taskIds: waiting.filter((_, n) => n < MOST_TASK_IDS).map(({ id }) => id),
      waiting: waiting.length,
    }
  })
}

const webhookItem = (webhook: Webhook, mine: boolean): InboxItem => {
  const { id, updatedAt, lastDelivery: at = updatedAt } = webhook
  return { kind: 'webhook', key: `webhook:${id}`, version: at, at, mine, webhook }
}

const newestFirst = (a: InboxItem, b: InboxItem) => (a.at > b.at ? -1 : 1)

/** A turn that ends with a question is no result to review. */
const endItem = (row: TaskRow, mine: boolean): InboxItem => {
  const { question } = row
  const { at, version, task } = resultItem(row, mine)
  return question === undefined
    ? resultItem(row, mine)
    : { kind: 'question', key: `question:${row.id}`, version, at, mine, question, task }
}

const resultItem = (row: TaskRow, mine: boolean): InboxItemOf<'result'> => {
  const { id, completedAt: at = row.updatedAt } = row
  return { kind: 'result', key: `result:${id}`, version: at, at, mine, task: reviewedTask(row) }
}

const reviewedTask = ({ id, title, agent, source, createdBy, createdAt, ...row }: TaskRow): ReviewedTask => ({
  id,
  title,
  agent,
  source,
  createdBy,
  createdAt,
  ...definedFields({
    repository: row.repository,
    branch: row.branch,
    startedAt: row.startedAt,
    completedAt: row.completedAt,
    waitingMs: row.waitingMs,
    cost: row.cost,
    threadId: row.threadId ?? id,
    brief: row.brief,
  }),
})
