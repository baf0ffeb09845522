import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createIds } from '../../lib/adapters/node/ids.ts'
import { Problem } from '../../lib/core/errors.ts'
import { createOutbox } from '../../lib/notifications/outbox.ts'
import { announcements, notifications } from '../../lib/notifications/rows.ts'
import type { Outgoing } from '../../lib/ports/queue.ts'
import type { Store, Totals } from '../../lib/ports/store.ts'
import { createDeadLetters } from '../../lib/queue/dead-letters.ts'
import { createLetterCheck } from '../../lib/queue/reconcile.ts'
import { deadLetters } from '../../lib/queue/rows.ts'
import { createReplays, taskEvents, tasks } from '../../lib/tasks/rows.ts'
import type { RunTask, TaskEvent } from '../../lib/tasks/schema.ts'
import { createTasks } from '../../lib/tasks/service.ts'
import { openTables } from '../adapters/dynamodb/opened.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeLog } from '../fakes/log.ts'

const collections = [tasks, taskEvents, createReplays, deadLetters, announcements, notifications]
const ALL = { index: 'newest', order: 'asc', limit: 1_000 } as const

export type World = Awaited<ReturnType<typeof openWorld>>
export type Service = ReturnType<World['serve']>

/** Tables of their own, and services on them that share a clock and a durable queue, as functions of the cloud do. */
export const openWorld = async (client: DynamoDBClient) => {
  const opened = await openTables({
    client,
    collections: collections as unknown as Parameters<typeof openTables>[0]['collections'],
    clock: createClock(),
  })
  // Later than storage thinks it is, which judges by its own clock what has expired.
  const clock = createFakeClock(Date.UTC(2040, 0, 1, 12))
  const sent: RunTask[] = []
  const told: string[] = []
  const faults: { refuse: boolean; onSend?: (() => void) | undefined } = { refuse: false }
  const send = async (messages: readonly Outgoing<RunTask>[]) => {
    if (faults.refuse) throw new Problem('unavailable', 'queue_unavailable', 'not now')
    faults.onSend?.()
    sent.push(...messages.map(({ body }) => body))
  }

  /** A service over the tables, seen through `through`. */
  const serve = (through: (store: Store) => Store = (store) => store) => {
    const ports = { store: through(opened.again()), clock, ids: createIds({ clock }), log: createFakeLog() }
    const outbox = createOutbox({
      ...ports,
      queue: {
        durable: true,
        longestDelayMs: 900_000,
        send: async (messages) => void told.push(...messages.map(({ body }) => body.announcementId)),
      },
    })
    const service = createTasks({
      ...ports,
      queue: { durable: true, longestDelayMs: 900_000, send },
      agents: { fallback: 'test-agent', types: () => ['test-agent'] },
      giveUp: (task, eventId) => {
        const announced = outbox.taskFailed(task, eventId)
        return { ...announced, followers: [...letters.entryFor(task, eventId), ...announced.followers] }
      },
      stopRun: () => undefined,
      ended: async () => undefined,
      maxAttempts: () => 2,
      leaseMs: 60_000,
    })
    const letters = createDeadLetters({ ...ports, redrive: service.redrive })
    const checkLetters = createLetterCheck({ ...ports, correct: service.correct })
    return { ...service, letters, checkLetters, outbox, log: ports.log }
  }

  return { store: opened.store, clock, sent, told, faults, serve, shown: () => shownOf(opened.store) }
}

/** A task that somebody else has to queue is queued later. */
const wordsOf = ({ type, timestamp, message, agent, attempt, metadata }: TaskEvent) => ({
  ...{ type, message, agent, attempt, metadata },
  at: type === 'queued' ? 'any time' : timestamp,
})

/** Everything that follows from what was done to tasks, but for identifiers. */
const shownOf = async (store: Store) => {
  const { rows } = await store.page(tasks, ALL)
  const logs = rows.map(async ({ id, title, status, attempts }) => {
    const page = await store.page(taskEvents, { index: 'ofTask', is: id, order: 'asc', limit: 100 })
    return { title, status, attempts, events: page.rows.map(wordsOf) }
  })
  const [all = {}, letters, open] = [
    (await store.tallies('tasks')).all,
    (await store.page(deadLetters, ALL)).rows,
    (await store.page(announcements, { ...ALL, index: 'oldest' })).rows,
  ]
  return {
    logs: await Promise.all(logs),
    totals: withoutZeros(all),
    isCorrected: (all.corrections ?? 0) > 0,
    daily: await store.tallies('tasks.daily'),
    letters: letters.map(({ id: _id, taskId: _task, ...letter }) => letter),
    letterTotals: withoutZeros((await store.tallies('dlq')).all ?? {}),
    announced: open.map(({ title, message }) => ({ title, message })),
  }
}

const withoutZeros = (totals: Totals) =>
  Object.fromEntries(Object.entries(totals).filter(([name, n]) => n !== 0 && name !== 'corrections'))
