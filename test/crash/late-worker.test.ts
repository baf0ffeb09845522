import { describe, expect, it } from '@jest/globals'
import type { Principal } from '../../lib/core/principal.ts'
import { CreateTaskSchema } from '../../lib/tasks/schema.ts'
import { until } from '../journeys/api.ts'
import { temporaryFolder } from '../journeys/service.ts'
import { type HeldRun, openWorkers, type Worker } from './workers.ts'

// One process runs a task again only once its own run of it is over, so a late worker takes two of them, as in `pro`.
// There is one file and one process here; what the workers share is the store and nothing else.

const somebody = { userId: 'somebody' } as Principal
const newTask = CreateTaskSchema.parse({ title: 'contended' })

const nextRun = ({ runs }: Worker): Promise<HeldRun> => until(() => runs.shift())

/** A task that `first` still runs although its lease ran out, and that `second` took over. */
const contend = async ({ openWorker, clock, leaseMs }: ReturnType<typeof openWorkers>) => {
  const first = await openWorker()
  const second = await openWorker()
  const { id } = await first.tasks.create(somebody, newTask)
  const early = await nextRun(first)
  clock.advance(leaseMs + 1)
  await second.tick()
  const late = await nextRun(second)
  return { first, second, id, early, late }
}

const lateEnds: [what: string, end: (run: HeldRun, worker: Worker) => void][] = [
  ['a success', (run) => run.succeed('too late')],
  ['a failure that would be tried again', (run) => run.fail(new Error('too late'))],
  ['a failure for good', (run) => run.fail(Object.assign(new Error('too late'), { retryable: false }))],
  [
    'a shutdown',
    (run, worker) => {
      worker.active.stopAll('shutdown')
      run.fail(new Error('too late'))
    },
  ],
]

describe('a worker whose lease ran out while it was busy', () => {
  it.each(lateEnds)("changes nothing by %s: the task is the next worker's", async (_what, end) => {
    using folder = temporaryFolder()
    await using workers = openWorkers(folder.in('shared.db'))
    const { first, second, id, early, late } = await contend(workers)
    const before = await second.tasks.events(id)
    end(early, first)
    await workers.settled()
    expect(await second.tasks.get(id)).toMatchObject({ status: 'in_progress', attempts: 2 })
    expect(await second.tasks.events(id)).toEqual(before)

    late.succeed('in time')
    await workers.settled()
    expect(await second.tasks.get(id)).toMatchObject({ status: 'completed', result: { output: 'in time' } })
    const { events } = await second.tasks.events(id)
    expect(events.map(({ type, attempt }) => [type, attempt])).toEqual([
      ['created', undefined],
      ['queued', undefined],
      ['started', 1],
      ['recovered', 1],
      ['started', 2],
      ['completed', 2],
    ])
    expect(await second.tasks.analytics()).toMatchObject({ totalTasks: 1, completedTasks: 1, failedTasks: 0 })
  })

  it('is told so by its next heartbeat, which does not renew the lease of the other', async () => {
    using folder = temporaryFolder()
    await using workers = openWorkers(folder.in('shared.db'))
    const { first, second, id, early } = await contend(workers)
    workers.clock.advance(workers.leaseMs - 1)
    first.active.beat()
    await workers.settled()
    expect(early.signal.reason).toMatchObject({ code: 'lost' })
    workers.clock.advance(2)
    const third = await workers.openWorker()
    await third.tick()
    expect((await nextRun(third)).attempt).toBe(3)
    expect(second.runs).toEqual([])
    expect(await third.tasks.get(id)).toMatchObject({ status: 'in_progress', attempts: 3 })
  })

  it('completes nothing that was cancelled by way of another worker', async () => {
    using folder = temporaryFolder()
    await using workers = openWorkers(folder.in('shared.db'))
    const first = await workers.openWorker()
    const second = await workers.openWorker()
    const { id } = await first.tasks.create(somebody, newTask)
    const run = await nextRun(first)
    await second.tasks.cancel(somebody, id)
    run.succeed('too late')
    await workers.settled()
    const task = await first.tasks.get(id)
    expect(task).toMatchObject({ status: 'cancelled' })
    expect(task).not.toHaveProperty('result')
  })

  it.each([1, 2, 3])(
    'keeps attempt %i of 3 by a heartbeat between the look and the take-over',
    async (attempt) => {
      using folder = temporaryFolder()
      await using workers = openWorkers(folder.in('shared.db'))
      const { clock, leaseMs, openWorker } = workers
      let holder = await openWorker()
      const { id } = await holder.tasks.create(somebody, newTask)
      await nextRun(holder)
      for (let lost = 1; lost < attempt; lost += 1) {
        holder = await openWorker()
        clock.advance(leaseMs + 1)
        await holder.tick()
        await nextRun(holder)
      }
      const intruder = await openWorker((store) => ({
        ...store,
        page: async (of, query) => {
          const seen = await store.page(of, query)
          holder.active.beat()
          await workers.settled()
          return seen
        },
      }))
      clock.advance(leaseMs + 1)
      await intruder.tick()
      expect(await holder.tasks.get(id)).toMatchObject({ status: 'in_progress', attempts: attempt })
    },
  )
})
