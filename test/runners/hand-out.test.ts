import { describe, expect, it } from '@jest/globals'
import { createMemoryQueue } from '../../lib/adapters/memory/queue.ts'
import { Problem } from '../../lib/core/errors.ts'
import { createRunnerClaims } from '../../lib/runners/claims.ts'
import { createMemoryPolls } from '../../lib/runners/polls.ts'
import type { RunTask } from '../../lib/tasks/schema.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeLog } from '../fakes/log.ts'

const RUNNER = { id: 'rnr_1', name: 'one', registration: 1, labels: [], agents: [{ type: 'test-agent' }] }
const LEASED = { status: 'in_progress', fence: 1, runner: 'one', leaseExpiresAt: 1 }
const PRINCIPAL = { userId: 'installation', role: 'admin', tokenId: 'tok_shared' } as const

type Reads = { takers: number; readTask: number }

/** A poll for two tasks by a runner that has one, while storage fails at one of its reads. */
const pollFailing = (failing: Partial<Reads>) => {
  const reads: Reads = { takers: 0, readTask: 0 }
  const read = async <Value>(name: keyof Reads, value: Value): Promise<Value> => {
    reads[name] += 1
    if (reads[name] === failing[name]) throw new Problem('unavailable', 'storage_unavailable', 'Not now')
    return value
  }
  const log = createFakeLog()
  const clock = createFakeClock()
  const queue = createMemoryQueue<RunTask>({ clock, log, concurrency: 1 })
  const registry = {
    find: async () => RUNNER,
    takers: () => {
      // The look for further tasks ends at once.
      setImmediate(() => setImmediate(() => clock.advance(0)))
      return read('takers', [RUNNER])
    },
    seen: async () => undefined,
  }
  const needs = { registry, queue, clock, log, readTask: () => read('readTask', LEASED) }
  const claims = createRunnerClaims({ ...needs, polls: createMemoryPolls(registry) } as never)
  const asked = { most: 2, waitMs: 20_000, takes: true, running: [{ taskId: 'task_0', fence: 1 }] }
  return { queue, poll: () => claims.poll(PRINCIPAL, RUNNER.id, asked, new AbortController().signal) }
}

describe('a task that has come to a poll', () => {
  it.each<[string, Partial<Reads>]>([
    ['the runners that take tasks', { takers: 2 }],
    ['the claims of the runner', { readTask: 2 }],
  ])('is in the queue again where %s cannot be read then', async (_what, failing) => {
    const { queue, poll } = pollFailing(failing)
    const body = { taskId: 'task_1', attempt: 1, agent: 'test-agent' } as RunTask
    await queue.send([{ body, priority: 3 }])
    await expect(poll()).rejects.toMatchObject({ code: 'storage_unavailable' })
    expect(queue.depth()).toMatchObject({ ready: 1 })
  })
})
