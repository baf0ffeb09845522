import { describe, expect, it } from '@jest/globals'
import type { Scalar, Store } from '../../lib/ports/store.ts'
import { tasks } from '../../lib/tasks/rows.ts'
import { CreateTaskSchema, type TaskRow } from '../../lib/tasks/schema.ts'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { ANN, type StartedDomains, startDomains, turns, until } from '../fakes/service.ts'
import { sampleRow, store } from '../tasks/samples.ts'

const HOUR_MS = 3_600_000
const RESULT = { success: true, output: 'done' }

const running = async (options: Parameters<typeof startDomains>[0] = {}) => {
  const agent = createFakeAgent(HOLD)
  const service = await startDomains({ adapters: [agent], ...options })
  const { id } = await service.run()
  const [run] = agent.runs
  if (!run) throw new Error('the task does not run')
  const row = async () => (await service.store.get(tasks, id)) as TaskRow
  return { agent, service, id, run, row }
}

describe('progress', () => {
  it('is written in order, with agent and attempt, and renews the lease', async () => {
    const { service, id, run, row } = await running()
    const before = (await row()).leaseExpiresAt ?? 0
    service.clock.advance(5_000)

    for (const step of ['one', 'two', 'three']) run.progress(step)
    await turns()

    const { events } = await service.tasks.events(id)
    expect(events.filter(({ type }) => type === 'progress')).toMatchObject(
      ['one', 'two', 'three'].map((message) => ({ message, agent: 'test-agent', attempt: 1 })),
    )
    expect((await row()).leaseExpiresAt).toBe(before + 5_000)
  })

  it('told in the turn in which the agent ends comes before the end', async () => {
    const { service, id, run } = await running()
    run.progress('nearly')
    run.finish()
    await turns()

    expect(await service.eventTypes(id)).toEqual(['created', 'queued', 'started', 'progress', 'completed'])
  })

  it('told after the end is not heard, nor while the next attempt runs', async () => {
    const { service, id, run, agent } = await running({ env: { QUEUE_RETRY_BACKOFF_MS: '0' } })
    run.fail(new Error('once'))
    await turns()
    expect(agent.runs).toHaveLength(2)

    run.progress('from the grave')
    await turns()

    expect(await service.eventTypes(id)).not.toContain('progress')
    expect(agent.runs[1]?.signal.aborted).toBe(false)
  })

  it('of a cancelled run is not heard', async () => {
    const { service, id, run } = await running()
    await service.tasks.cancel({ userId: 'user_ann', role: 'user' }, id)
    run.progress('still here')
    await turns()

    expect(await service.eventTypes(id)).not.toContain('progress')
  })

  it('beyond 1,000 messages says so once, goes on with samples, and ends with the last of them', async () => {
    const { service, id, run, row } = await running()
    for (let n = 1; n <= 1_000; n += 1) run.progress(`line ${n}`)
    const messages = async () => {
      const { events } = await service.tasks.events(id)
      return events.filter(({ type }) => type === 'progress').map(({ message }) => message)
    }
    const last = () => service.tasks.lastProgress(id)
    await until(async () => (await last()) === 'line 1000')

    service.clock.advance(5_000)
    const before = (await row()).leaseExpiresAt ?? 0
    for (let n = 1_001; n <= 3_000; n += 1) run.progress(`line ${n}`)
    await until(async () => (await last()) !== 'line 1000')
    expect((await messages()).slice(1_000)).toEqual([
      expect.stringMatching(/^This attempt has sent 1,000 messages\./),
    ])
    expect((await row()).leaseExpiresAt).toBeGreaterThan(before)

    service.clock.advance(30_000)
    await until(async () => (await last()) === 'After 3,000 messages: line 3000')
    // Without a message since then there is nothing to show.
    service.clock.advance(30_000)
    await turns()
    expect(await messages()).toHaveLength(1_002)
    run.progress('line 3001')
    service.clock.advance(30_000)
    await until(async () => (await last()) === 'After 3,001 messages: line 3001')

    run.progress('line 3002')
    run.finish()
    await turns()
    const lines = Array.from({ length: 10 }, (_, n) => `line ${2_993 + n}`)
    expect((await messages()).slice(1_003)).toEqual([
      ['Of 2,002 further messages, the last:', ...lines].join('\n'),
    ])
    expect((await service.eventTypes(id)).slice(-2)).toEqual(['progress', 'completed'])
  })

  it('is stored before the end of the run, which waits two seconds for it', async () => {
    const gate = Promise.withResolvers<void>()
    const wrapStore = (real: Store): Store => ({
      ...real,
      commit: async (head, ...rest) => {
        if ('insert' in head && head.insert.name === 'feedEntries') await gate.promise
        return real.commit(head, ...rest)
      },
    })
    const { service, id, run, row } = await running({ wrapStore })
    run.progress('nearly')
    // It is written after the one before it.
    run.progress('done')
    run.finish()
    await turns()
    expect((await row()).status).toBe('in_progress')
    gate.resolve()
    await turns()

    expect((await row()).status).toBe('completed')
    expect((await service.eventTypes(id)).slice(-3)).toEqual(['progress', 'progress', 'completed'])
  })

  it('that storage does not take in time does not keep the run from its end', async () => {
    const wrapStore = (real: Store): Store => ({
      ...real,
      commit: (head, ...rest) =>
        'insert' in head && head.insert.name === 'feedEntries'
          ? new Promise(() => undefined)
          : real.commit(head, ...rest),
    })
    const { service, run, row } = await running({ wrapStore })
    run.progress('nearly')
    run.finish()
    await turns()
    service.clock.advance(1_999)
    await turns()
    expect((await row()).status).toBe('in_progress')
    service.clock.advance(1)
    await turns()
    expect((await row()).status).toBe('completed')
  })

  it('is cut to 2,000 characters, and is text whatever it was', async () => {
    const { service, id, run } = await running()
    run.progress('x'.repeat(5_000))
    run.progress(undefined as unknown as string)
    await turns()

    const { events } = await service.tasks.events(id)
    expect(events.slice(-2).map(({ message }) => message?.length)).toEqual([2_000, 'undefined'.length])
  })
})

describe('the lease', () => {
  it('is renewed by the heartbeat for as long as the run takes', async () => {
    const { service, id, run, row } = await running()
    await service.pass(250_000)

    expect((await row()).leaseExpiresAt).toBeGreaterThan(service.clock.now())
    expect(run.signal.aborted).toBe(false)
    expect((await service.tasks.get(id)).attempts).toBe(1)
  })

  it('that was lost aborts the run at the next heartbeat', async () => {
    const { service, run, row } = await running()
    await service.tasks.lease.recover(await row())
    await service.pass(10_000)

    expect(run.signal.reason).toMatchObject({ code: 'lost' })
  })

  it('outlives a heartbeat that storage refused', async () => {
    let refuse = false
    const agent = createFakeAgent(HOLD)
    const service = await startDomains({
      adapters: [agent],
      wrapStore: (real) => ({
        ...real,
        commit: (...change) => (refuse ? Promise.reject(new Error('no disk')) : real.commit(...change)),
      }),
    })
    const trace = { requestId: 'req_1' }
    const { id: taskId } = await service.tasks.create(ANN, CreateTaskSchema.parse({ title: 'A task' }), trace)
    await turns()
    refuse = true
    await service.pass(10_000)
    refuse = false
    await service.pass(10_000)

    expect(agent.runs[0]?.signal.aborted).toBe(false)
    const line = service.log.entries.find(({ message }) => message === 'heartbeat failed')
    expect(line?.fields).toMatchObject({ ...trace, taskId })
  })

  it.each([
    ['forward', 2 * HOUR_MS],
    ['back', -2 * HOUR_MS],
  ])('of a task that runs here is not reclaimed when the clock steps two hours %s', async (_way, stepMs) => {
    const { service, id, run } = await running()
    service.clock.setWall(service.clock.now() + stepMs)
    await service.pass(60_000)
    run.finish()
    await turns()

    expect(run.signal.aborted).toBe(false)
    expect(await service.tasks.get(id)).toMatchObject({ status: 'completed', attempts: 1 })
  })
})

describe('an abandoned task', () => {
  const abandoned = {
    status: 'in_progress',
    attempts: 1,
    fence: 1,
    startedAt: '2026-01-01T11:59:00.000Z',
  } as const

  it('is taken back when its lease ran out, not before, its attempt counted', async () => {
    const agent = createFakeAgent(HOLD)
    const service = await startDomains({ adapters: [agent] })
    const leaseExpiresAt = service.clock.now() + 20_000
    const { id } = await store(service, sampleRow({ ...abandoned, leaseExpiresAt }))

    await service.pass(19_000)
    expect(agent.runs).toHaveLength(0)
    await service.pass(3_000)

    expect(agent.runs.map(({ attempt }) => attempt)).toEqual([2])
    expect((await service.tasks.events(id)).events).toMatchObject([
      { type: 'recovered', attempt: 1, metadata: { code: 'worker_lost' } },
      { type: 'started', attempt: 2 },
    ])
    expect((await service.tasks.get(id)).startedAt).toBe(abandoned.startedAt)
  })

  it('is failed with worker_lost when that was its last attempt', async () => {
    const service = await startDomains()
    const { id } = await store(service, sampleRow({ ...abandoned, attempts: 3, leaseExpiresAt: 1 }))
    await service.pass(2_000)

    const message = 'The process running attempt 3 died or stalled'
    expect(await service.tasks.get(id)).toMatchObject({
      status: 'failed',
      error: { code: 'worker_lost', message },
    })
    expect((await service.deadLetters.countAll()).pending).toBe(1)
  })

  it.each([1, 3])('is left to a holder who renewed in the meantime (attempt %i of 3)', async (attempts) => {
    const service = await startDomains({ background: false })
    const seen = await store(service, sampleRow({ ...abandoned, attempts, leaseExpiresAt: 1 }))
    expect(await service.tasks.lease.renew(seen)).toBe(true)

    await service.tasks.lease.recover(seen)

    expect((await service.tasks.get(seen.id)).status).toBe('in_progress')
  })
})

type Lease = StartedDomains['tasks']['lease']

/** Storage that checks no fencing number: what the guard is for, seen without it. */
const withoutFence = (real: Store): Store => ({
  ...real,
  commit: (head, rows, detail) => {
    if (!('update' in head) || !head.when) return real.commit(head, rows, detail)
    const { fence: _fence, ...when } = head.when as Record<string, Scalar>
    return real.commit({ ...head, when: when as typeof head.when }, rows, detail)
  },
})

describe('the fencing number', () => {
  /** A first holder that stalls, is taken for dead, and comes back while the second one runs. */
  const comeback = async (wrapStore?: (real: Store) => Store) => {
    const service = await startDomains({ background: false, ...(wrapStore ? { wrapStore } : {}) })
    const { id } = await service.create()
    const first = await service.tasks.lease.claim({ taskId: id, attempt: 1 })
    await service.tasks.lease.recover(first as TaskRow)
    const second = await service.tasks.lease.claim({ taskId: id, attempt: 2 })
    return { service, id, first: first as TaskRow, second: second as TaskRow }
  }

  it('grows with every claim', async () => {
    const { first, second } = await comeback()
    expect([first.fence, second.fence]).toEqual([1, 2])
  })

  it.each([
    ['success', (lease: Lease, held: TaskRow) => lease.succeed(held, RESULT)],
    ['failure', (lease: Lease, held: TaskRow) => lease.retry(held, { code: 'x', message: 'x' }, 0)],
    ['final failure', (lease: Lease, held: TaskRow) => lease.fail(held, { code: 'x', message: 'x' })],
    ['release', (lease: Lease, held: TaskRow) => lease.release(held, 'x')],
    ['progress', (lease: Lease, held: TaskRow) => lease.renew(held, 'x')],
    ['recovery', (lease: Lease, held: TaskRow) => lease.recover(held)],
  ])('refuses the late %s of an earlier holder', async (_name, write) => {
    const { service, id, first } = await comeback()
    const before = await service.eventTypes(id)

    await write(service.tasks.lease, first)

    expect(await service.tasks.get(id)).toMatchObject({ status: 'in_progress', attempts: 2 })
    expect(await service.eventTypes(id)).toEqual(before)
  })

  it('tells an earlier holder that looks that the task is no longer its own, and the new one that it is', async () => {
    const { service, first, second } = await comeback()
    const { isLeased } = service.tasks.lease
    expect([await isLeased(first), await isLeased(second)]).toEqual([false, true])
  })

  it('is what refuses it: without the condition the late result is stored', async () => {
    const { service, id, first } = await comeback(withoutFence)

    await service.tasks.lease.succeed(first, RESULT)

    expect((await service.tasks.get(id)).status).toBe('completed')
  })
})
