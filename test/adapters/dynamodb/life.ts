import { createClock } from '../../../lib/adapters/node/clock.ts'
import { createIds } from '../../../lib/adapters/node/ids.ts'
import type { Trace } from '../../../lib/core/trace.ts'
import type { Store } from '../../../lib/ports/store.ts'
import { type CreateTask, CreateTaskSchema } from '../../../lib/tasks/schema.ts'
import { createTasks, type Tasks } from '../../../lib/tasks/service.ts'
import { unlimited } from '../../fakes/limiter.ts'
import { createFakeLog } from '../../fakes/log.ts'
import type { Capacity } from './capacity-meter.ts'

/** A service whose queue takes everything: what a deployed one writes. */
export const tasksOn = (store: Store): Tasks => {
  const clock = createClock()
  return createTasks({
    whyNoRunner: async () => () => undefined,
    refuseIfNoRunners: () => undefined,
    positions: () => undefined,
    capReached: () => undefined,
    readsResults: () => false,
    store,
    queue: { longestDelayMs: 900_000, send: async () => undefined },
    agents: { fallback: 'test-agent', types: async () => ['test-agent'], offered: async () => [] },
    repositories: { check: async () => undefined },
    feed: {
      append: async () => [],
      read: async () => [],
      has: async () => false,
      last: async () => undefined,
    },
    makeDeadLetter: () => {
      throw new Error('no task fails here')
    },
    approvals: { stateOfAll: async () => 'pending', firstExpiry: async () => undefined },
    resolveDeadLetter: () => {
      throw new Error('there are no dead letters here')
    },
    stopRun: () => undefined,
    sendsNotice: () => false,
    ended: async () => undefined,
    limiter: unlimited,
    audit: async () => undefined,
    clock,
    ids: createIds({ clock }),
    log: createFakeLog(),
    maxAttempts: () => 3,
    leaseMs: 60_000,
    workspaceTtlMs: 86_400_000,
  })
}

export const principal = { userId: 'user_ann' } as Parameters<Tasks['create']>[0]

/** A task of about 600 bytes, as an index has it. */
export const body = (more: Partial<CreateTask> = {}): CreateTask =>
  CreateTaskSchema.parse({
    title: 'Make the nightly import tell which rows it refused, and why, in its last line',
    labels: ['imports', 'logging'],
    repository: 'example/warehouse',
    branch: 'main',
    ...more,
  })

/** What a create, a claim and a completion of one task take. */
export const taskLifeCosts = async (
  tasks: Tasks,
  meter: () => Capacity,
  more: Partial<CreateTask> = {},
  trace?: Trace,
) => {
  meter()
  const { id } = await tasks.create(principal, body(more), trace)
  const created = meter()
  const claim = await tasks.lease.claim({ taskId: id, attempt: 1 })
  const claimed = meter()
  if (claim === undefined) throw new Error('there was nothing to claim')
  await tasks.lease.succeed(claim, { success: true, output: 'Done.' })
  return { id, created, claimed, completed: meter() }
}
