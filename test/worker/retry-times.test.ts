import { describe, expect, it } from '@jest/globals'
import { Problem } from '../../lib/core/errors.ts'
import type { AgentAdapter } from '../../lib/ports/agent.ts'
import { tasks } from '../../lib/tasks/rows.ts'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { ANN, startDomains, turns, until } from '../fakes/service.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

type Execute = AgentAdapter['execute']

const throwing =
  (fields: object): Execute =>
  () =>
    Promise.reject(Object.assign(new Error('busy'), fields))
const returning =
  (fields: object): Execute =>
  async () => ({ success: false, output: 'busy', ...fields })

/** The milliseconds until the next attempt of a task. */
const untilNextAttempt = (
  { clock }: { clock: { now(): number } },
  { nextAttemptAt }: { nextAttemptAt?: string | undefined },
) => Date.parse(nextAttemptAt ?? '') - clock.now()

describe('a failure that knows when it may be tried again', () => {
  it.each<[what: string, execute: Execute, waitMs: number]>([
    ['an error', throwing({ retryAfterMs: 20_000 }), 20_000],
    ['a result', returning({ retryAfterMs: 20_000 }), 20_000],
    [
      'a rate limit of a provider',
      () => Promise.reject(new Problem('rate_limited', 'rate_limited', 'x', { retryAfterMs: 20_000 })),
      20_000,
    ],
    ['less than the backoff', throwing({ retryAfterMs: 20 }), 1_000],
    ['a fraction of a millisecond', throwing({ retryAfterMs: 20_000.1 }), 20_001],
    ['a month', throwing({ retryAfterMs: 30 * DAY }), DAY],
    ['for ever', throwing({ retryAfterMs: Number.POSITIVE_INFINITY }), DAY],
    ['no number', throwing({ retryAfterMs: '20000' }), 1_000],
    ['NaN', throwing({ retryAfterMs: Number.NaN }), 1_000],
    ['a time that has passed', throwing({ retryAfterMs: -20_000 }), 1_000],
    ['nothing', throwing({}), 1_000],
  ])('is not tried before that: %s', async (_, execute, waitMs) => {
    const agent = createFakeAgent(execute)
    await using service = await startDomains({ adapters: [agent] })
    const task = await service.run()
    expect(task).toMatchObject({ status: 'queued', attempts: 1 })
    expect(untilNextAttempt(service, task)).toBe(waitMs)
    service.clock.advance(waitMs - 1)
    await turns()
    expect(agent.runs).toHaveLength(1)
    service.clock.advance(1)
    await until(() => agent.runs.length === 2)
  })

  it('of an hour waits in storage where the queue delays by 15 minutes at most', async () => {
    const agent = createFakeAgent(throwing({ retryAfterMs: HOUR }))
    await using service = await startDomains({
      adapters: [agent],
      wrapTaskQueue: (queue) => Object.assign(Object.create(queue), { longestDelayMs: 900_000 }),
    })
    const { id } = await service.run()
    expect(await service.tasks.get(id)).toMatchObject({ status: 'pending', attempts: 1 })
    await service.pass(HOUR - 1_000, 60_000)
    expect(await service.tasks.get(id)).toMatchObject({ status: 'queued', attempts: 1 })
    expect(agent.runs).toHaveLength(1)
    await service.pass(2_000)
    expect(agent.runs).toHaveLength(2)
  })
})

const REFUSED = { refused: true, code: 'no_place', retryAfterMs: 10_000 }

/** Refuses as often as `count` says, then works. */
const refusing = (
  count: number,
  then: Execute = async () => ({ success: true, output: 'done' }),
): Execute => {
  let left = count
  return (task, context) => (left-- > 0 ? throwing(REFUSED)(task, context) : then(task, context))
}

describe('an attempt that was refused before any work', () => {
  it('is not counted, says why in the log of its task, and has its number used again', async () => {
    const agent = createFakeAgent(refusing(5))
    await using service = await startDomains({ adapters: [agent], env: { QUEUE_RETRY_ATTEMPTS: '1' } })
    const task = await service.run()
    expect(task).toMatchObject({ status: 'queued', attempts: 0, error: { code: 'no_place' } })
    expect(untilNextAttempt(service, task)).toBe(10_000)
    await service.pass(70_000, 1_000)
    expect(await service.tasks.get(task.id)).toMatchObject({ status: 'completed', attempts: 1 })
    expect(agent.runs.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1, 1])
    const { events } = await service.tasks.events(task.id)
    expect(events.find(({ type }) => type === 'retrying')).toMatchObject({
      attempt: 1,
      message: 'busy',
      metadata: { code: 'no_place', delayMs: 10_000, counted: false },
    })
  })

  it('waits longer each time, up to five minutes', async () => {
    const agent = createFakeAgent(refusing(99))
    await using service = await startDomains({ adapters: [agent], env: { QUEUE_RETRY_TYPE: 'fixed' } })
    const { id } = await service.run()
    const waits: number[] = []
    for (let n = 0; n < 12; n += 1) {
      const waitMs = untilNextAttempt(service, await service.tasks.get(id))
      waits.push(waitMs)
      service.clock.advance(waitMs)
      await until(() => agent.runs.length === n + 2)
      await turns()
    }
    expect(waits.map((ms) => ms / 1_000)).toEqual([10, 10, 10, 10, 16, 32, 64, 128, 256, 300, 300, 300])
  })

  it('ends the task after 300 in a row, which take a day', async () => {
    const agent = createFakeAgent(refusing(1_000))
    await using service = await startDomains({ adapters: [agent], env: { QUEUE_RETRY_ATTEMPTS: '2' } })
    const { id, createdAt } = await service.run()
    for (let n = 1; (await service.tasks.get(id)).status !== 'failed'; n += 1) {
      service.clock.advance(300_000)
      await until(() => agent.runs.length > n)
      await turns()
    }
    const task = await service.tasks.get(id)
    expect(task).toMatchObject({ attempts: 1, error: { code: 'no_place' } })
    expect(agent.runs.length).toBe(301)
    expect(Date.parse(task.completedAt ?? '') - Date.parse(createdAt)).toBeGreaterThan(DAY)

    // A retry of the dead letter is a new life.
    const [letter] = (await service.deadLetters.list({ status: 'pending', limit: 1 })).items
    await service.deadLetters.retry(ANN, letter?.id ?? '')
    await turns()
    expect(await service.tasks.get(id)).toMatchObject({ status: 'queued', attempts: 0 })
    expect(await service.store.get(tasks, id)).toMatchObject({ refusals: 1 })
  })

  it('does not excuse an attempt that worked', async () => {
    const agent = createFakeAgent(refusing(1, throwing({})))
    await using service = await startDomains({ adapters: [agent], env: { QUEUE_RETRY_ATTEMPTS: '1' } })
    const { id } = await service.run()
    await service.pass(11_000, 1_000)
    expect(await service.tasks.get(id)).toMatchObject({ status: 'failed', attempts: 1 })
  })

  it('is final where the error says that another attempt would not help', async () => {
    const agent = createFakeAgent(throwing({ ...REFUSED, retryable: false }))
    await using service = await startDomains({ adapters: [agent] })
    expect(await service.run()).toMatchObject({ status: 'failed', attempts: 1 })
  })

  it('is not begun early by a repeat of the message before it', async () => {
    const agent = createFakeAgent(refusing(1))
    await using service = await startDomains({ adapters: [agent] })
    const { id } = await service.run()
    await service.worker.run({ taskId: id, attempt: 1, fence: 0 })
    expect(agent.runs).toHaveLength(1)
    await service.pass(11_000, 1_000)
    expect(await service.tasks.get(id)).toMatchObject({ status: 'completed', attempts: 1 })
  })

  it('keeps its wait over a restart', async () => {
    const agent = createFakeAgent(refusing(1))
    const first = await startDomains({ adapters: [agent] })
    const { id } = await first.run()
    await first.background.stop()
    const { store, clock, ids, delivery } = first
    await using second = await startDomains({ adapters: [agent], after: { store, clock, ids, delivery } })
    await turns()
    await second.pass(9_000, 1_000)
    expect(agent.runs).toHaveLength(1)
    await second.pass(2_000, 1_000)
    expect(await second.tasks.get(id)).toMatchObject({ status: 'completed', attempts: 1 })
  })
})

describe('a run whose time is up', () => {
  const ownTimeout = throwing({ code: 'timeout' })
  it.each<[what: string, execute: Execute, more: Partial<AgentAdapter>, runs: number, body?: object]>([
    ['is not retried: the agent would begin anew', HOLD, {}, 1],
    ['is not retried where the agent says so', HOLD, { canResume: false }, 1],
    ['is retried where the agent can resume', HOLD, { canResume: true }, 3],
    ['is retried at the limit of its agent', HOLD, { canResume: true, timeoutMs: 50_000 }, 3],
    ['is not retried at the limit of its agent without that', HOLD, { timeoutMs: 50_000 }, 1],
    [
      'is retried at the limit of its task',
      HOLD,
      { canResume: true, timeoutMs: 3_600_000 },
      3,
      { timeoutMs: 50_000 },
    ],
    [
      'is not retried at the limit of its task without that',
      HOLD,
      { timeoutMs: 3_600_000 },
      1,
      { timeoutMs: 50_000 },
    ],
    ['is not retried either when the agent throws the timeout itself', ownTimeout, {}, 1],
    ['is retried when the agent throws it and can resume', ownTimeout, { canResume: true }, 3],
  ])('%s', async (_, execute, more, runs, body = {}) => {
    const status = 'failed'
    const agent = createFakeAgent(execute, more)
    await using service = await startDomains({ adapters: [agent], env: { POOL_TIMEOUT_MS: '60000' } })
    const { id } = await service.run(body)
    await service.pass(runs * 70_000, 1_000)
    expect(await service.tasks.get(id)).toMatchObject({ status, attempts: runs, error: { code: 'timeout' } })
    expect(agent.runs).toHaveLength(runs)
  })
})
