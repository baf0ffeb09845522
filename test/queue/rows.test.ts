import { describe, expect, it } from '@jest/globals'
import {
  DEAD_LETTER_COUNTERS,
  deadLetters,
  FAILURE_COUNTERS,
  failureMember,
  UNDELIVERED_MESSAGE,
} from '../../lib/queue/rows.ts'
import type { DlqItem } from '../../lib/queue/schema.ts'
import { withOpened } from '../contract/test-of.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { followedStoreOpeners } from '../fakes/stores.ts'

const at = '2026-01-01T12:00:00.000Z'
const ofTask: DlqItem = {
  id: 'dlq_01KF0Q8Y3V5W7X9Z',
  taskId: 'task_1',
  title: 'Mend it',
  attempts: 3,
  fingerprint: 'f1',
  lastError: 'broken',
  createdAt: at,
  status: 'pending',
}
const ofMessage: DlqItem = {
  id: 'dlq_01KF0Q8Y3V5W7XA0',
  taskId: 'unknown',
  title: UNDELIVERED_MESSAGE,
  attempts: 1,
  lastError: 'not_json: {',
  createdAt: at,
  status: 'pending',
}

describe.each(followedStoreOpeners([deadLetters]))('dead letters on %s', (_name, open) => {
  it(
    'are counted by their state and group, and one of a task is announced once',
    withOpened(
      () => open(createFakeClock()),
      async ({ store, delivered, drained }) => {
        const storedCounters = async () => {
          await drained()
          const { all } = await store.counters(DEAD_LETTER_COUNTERS.counter)
          const member = failureMember(at, 'f1')
          return [all, (await store.counters(FAILURE_COUNTERS))[member]]
        }
        for (const row of [ofTask, ofMessage]) await store.commit({ insert: deadLetters, row })
        expect(await storedCounters()).toEqual([
          { pending: 2, total: 2 },
          { count: 1, pending: 1 },
        ])
        const status = 'resolved' as const
        const decided = { update: deadLetters, key: ofTask.id, when: { status: 'pending' }, set: { status } }
        for (const applied of [true, false]) expect(await store.commit(decided)).toMatchObject({ applied })
        expect(await storedCounters()).toEqual([
          { pending: 1, resolved: 1, total: 2 },
          { count: 1, pending: 0 },
        ])
        expect(delivered).toMatchObject([{ to: 'notices', body: { kind: 'announce', fingerprint: 'f1' } }])
      },
    ),
  )
})
