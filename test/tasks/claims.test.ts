import { describe, expect, it } from '@jest/globals'
import { createClaims } from '../../lib/tasks/claims.ts'
import type { Lifecycle } from '../../lib/tasks/lifecycle.ts'
import type { TaskRow } from '../../lib/tasks/rows.ts'
import { createFakeClock } from '../fakes/clock.ts'

/** What `claim` makes of a message for attempt 2 when storage refuses it and answers this row. */
const refusedFor = async (row: Pick<TaskRow, 'status' | 'attempts'> | undefined) => {
  const settled: string[] = []
  const lifecycle = { move: async () => ({ applied: false, row }) } as unknown as Lifecycle
  const { claim } = createClaims({
    lifecycle,
    queue: { durable: true },
    overtaken: async (taskId) => void settled.push(taskId),
    clock: createFakeClock(),
    leaseMs: 1_000,
  })
  return { claim: await claim({ taskId: 'task_1', attempt: 2 }), settled }
}

describe('a claim that storage refuses', () => {
  it.each([
    ['was not stored yet', undefined],
    ['is still pending', { status: 'pending', attempts: 1 } as const],
    ['was queued for that very attempt a moment later', { status: 'queued', attempts: 1 } as const],
  ])('leaves the message in the queue when its task %s', async (_, row) => {
    await expect(refusedFor(row)).rejects.toMatchObject({ kind: 'unavailable', code: 'task_not_queued_yet' })
  })

  it.each([
    ['runs', { status: 'in_progress', attempts: 2 } as const],
    ['has ended', { status: 'completed', attempts: 2 } as const],
    ['was cancelled', { status: 'cancelled', attempts: 1 } as const],
    ['waits for a later attempt', { status: 'queued', attempts: 2 } as const],
    ['began anew', { status: 'queued', attempts: 0 } as const],
  ])('uses the message up when its task %s, and makes up for what a death left out', async (_, row) => {
    expect(await refusedFor(row)).toEqual({ claim: undefined, settled: ['task_1'] })
  })
})
