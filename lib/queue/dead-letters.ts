import type * as z from 'zod'
import { messageOf, missing } from '../core/errors.ts'
import { pageFacts, rangeOf } from '../core/page.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Follower, Outcome, Store } from '../ports/store.ts'
import type { Task } from '../tasks/schema.ts'
import type { ListDlqQuery } from './contract.ts'
import { createRetry, letterOf, notPending, type Redrive } from './retry.ts'
import { deadLetters, LETTER_TOTALS, tallyOfLetter } from './rows.ts'
import type { DlqCounts, DlqItem } from './schema.ts'

/** A message that did nothing; `messageId` is the queue's own name for it, a UUID, or the ULID of the task it names. */
export type Undelivered = { messageId: string; taskId: string; reason: string }

type Needs = { store: Store; redrive: Redrive; clock: Clock; log: Log }

export type DeadLetters = ReturnType<typeof createDeadLetters>

/** The dead letter queue: tasks that failed for good, until somebody retries or discards them. */
export const createDeadLetters = ({ store, redrive, clock, log }: Needs) => {
  /** What is written together with the failure of a task, of which there is one entry for each event of it. */
  const entryFor = (task: Task, eventId: string): Follower[] => {
    const row: DlqItem = {
      id: letterOf(eventId),
      taskId: task.id,
      title: task.title,
      attempts: task.attempts,
      lastError: task.error?.message ?? 'unknown',
      createdAt: task.completedAt ?? iso(clock.now()),
      status: 'pending',
    }
    return [{ insert: deadLetters, row }, tallyOfLetter(undefined, 'pending')]
  }

  /**
   * Takes in a message that no task can be failed for: it says nothing that can be read, or names no task that there is.
   * Its dead letter has the identifier of the message, so however often the queue delivers that, there is one.
   */
  const addMessage = async ({ messageId, taskId, reason }: Undelivered): Promise<void> => {
    const row: DlqItem = {
      id: `dlq_${messageId.replaceAll('-', '').toUpperCase()}`,
      taskId,
      title: 'A message that could not be delivered',
      attempts: 0,
      lastError: reason,
      createdAt: iso(clock.now()),
      status: 'pending',
    }
    await store.commit({ insert: deadLetters, row }, [tallyOfLetter(undefined, 'pending')])
  }

  const list = async (query: z.output<typeof ListDlqQuery>) => {
    const { status } = query
    const scope = `dlq:${status}`
    const [page, counts] = await Promise.all([
      store.page(deadLetters, {
        ...(status === 'all' ? { index: 'newest' } : { index: 'byStatus', is: status }),
        order: 'desc',
        ...rangeOf(query, scope),
      }),
      countAll(),
    ])
    return {
      items: page.rows,
      ...pageFacts(page, status === 'all' ? counts.total : counts[status], query, scope),
    }
  }

  const countAll = async (): Promise<DlqCounts> => {
    const {
      pending = 0,
      resolved = 0,
      discarded = 0,
      total = 0,
    } = (await store.tallies(LETTER_TOTALS.tally))[LETTER_TOTALS.member] ?? {}
    return { pending, resolved, discarded, total }
  }

  /**
   * A dead letter that storage would not say it closed: where it did, what follows may be left out. The totals are made up
   * for by the tick, the move of the task when it is sent, or when somebody asks for this again.
   */
  const closedAfterAll = async (
    id: string,
    set: Pick<DlqItem, 'status' | 'resolvedAt'>,
    refused: unknown,
  ): Promise<Outcome<DlqItem>> => {
    const row = await store.get(deadLetters, id)
    if (row?.status !== set.status || row.resolvedAt !== set.resolvedAt) throw refused
    log.warn(
      { deadLetterId: id, reason: messageOf(refused) },
      'a dead letter was closed, its totals follow later',
    )
    return { applied: true, row }
  }

  /** Only a pending item can be closed, so of several decisions at once one takes effect. */
  const close = async (id: string, status: 'resolved' | 'discarded', followers: readonly Follower[] = []) => {
    const set = { status, resolvedAt: iso(clock.now()) }
    const { applied, row } = await store
      .commit<DlqItem>({ update: deadLetters, key: id, when: { status: 'pending' }, set }, [
        tallyOfLetter('pending', status),
        ...followers,
      ])
      .catch((thrown) => closedAfterAll(id, set, thrown))
    if (!row) throw missing('Dead letter')
    if (!applied) throw notPending(row)
    return row
  }

  const discard = (id: string): Promise<DlqItem> => close(id, 'discarded')

  return { entryFor, addMessage, list, countAll, retry: createRetry({ store, redrive, close }), discard }
}
