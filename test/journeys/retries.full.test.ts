import { beforeEach, describe, expect, it } from '@jest/globals'
import { forAllTests } from '../fakes/lifetimes.ts'
import { saying, startWire, status } from '../fakes/model-wire.ts'
import { until } from './api.ts'
import { type Connection, connect } from './client.ts'
import { moodyTask, moodyWorld } from './moody.ts'
import { isOffline, type Service, startService, temporaryFolder } from './service.ts'

const HOPELESS = { failures: 99 }

/** A service that can be ended and started again on its data; all tests of a `describe` share it. */
const startAgainable = async (env: Record<string, string>) => {
  let service = await startService({ env })
  return {
    api: () => connect(service.baseUrl),
    startAgain: async (end: (service: Service) => Promise<unknown>) => {
      await end(service)
      service = await startService({ env })
    },
    close: () => service.kill9(),
  }
}

const startMoody = async () => {
  const world = moodyWorld({ QUEUE_RETRY_BACKOFF_MS: '400', QUEUE_RETRY_TYPE: 'fixed' })
  const { close, ...service } = await startAgainable(world.env)
  const stop = async () => {
    await close()
    world[Symbol.dispose]()
  }
  return { ...service, world, stop }
}

/** A task that has failed for good, and its dead letter. */
const giveUp = async ({ client, perform }: Connection) => {
  const task = await perform(moodyTask('hopeless', HOPELESS))
  expect(task).toMatchObject({ status: 'failed', attempts: 3, error: { code: 'agent_error' } })
  const item = (await client.listDlq()).items.find(({ taskId }) => taskId === task.id)
  if (!item) throw new Error('The dead letter queue does not have it')
  return { task, item }
}

describe('an agent that fails', () => {
  const moody = forAllTests(startMoody, ({ stop }) => stop())
  beforeEach(() => moody().world.relapse())

  it('always has its dead letter resolved by a retry of the task, also when the service is killed right after', async () => {
    const { world, api, startAgain } = moody()
    const { task, item } = await giveUp(api())
    world.cure()
    const again = await api().client.retryTask({ params: { id: task.id } })
    await startAgain((service) => service.kill9())
    expect(await api().untilTask(again.task.id, 'completed', 'failed')).toMatchObject({ status: 'completed' })
    const { items } = await api().client.listDlq({ query: { status: 'all' } })
    expect(items.find(({ id }) => id === item.id)).toMatchObject({
      status: 'resolved',
      resolution: { taskId: again.task.id },
    })
  })
})

/** A service whose coding agent works with a provider that answers what the test tells it to. */
const startWithProvider = async () => {
  const wire = await startWire()
  const folder = temporaryFolder()
  const { close, ...service } = await startAgainable({
    DATA_DIR: folder.in('data'),
    OPENAI_API_KEY: 'key',
    OPENAI_BASE_URL: `${wire.origin}/v1`,
    OPENAI_MODEL: 'm',
    QUEUE_RETRY_ATTEMPTS: '2',
    QUEUE_RETRY_BACKOFF_MS: '1',
  })
  const stop = async () => {
    await close()
    await wire.close()
    folder[Symbol.dispose]()
  }
  return { ...service, wire, stop }
}

describe('a provider', () => {
  const provider = forAllTests(startWithProvider, ({ stop }) => stop())
  const nextAttempt = (id: string) =>
    until(async () => {
      const task = await provider().api().task(id)
      return task.nextAttemptAt === undefined ? undefined : task
    })

  it.each([429, 503])(
    'that names a time with %i is not called before it, and the task shows it',
    async (code) => {
      const { wire, api } = provider()
      const calls: number[] = []
      const busy = status(code, { error: { message: 'busy' } }, { 'retry-after': '6' })
      const answers = [busy, saying('Done')]
      wire.replies = [
        (res, heard) => {
          calls.push(Date.now())
          return answers[Math.min(calls.length, 2) - 1]?.(res, heard)
        },
      ]
      const { id } = await api().create({ title: 'Wait for it' })
      const { nextAttemptAt } = await nextAttempt(id)
      expect(Date.parse(nextAttemptAt ?? '') - (calls[0] ?? 0)).toBeGreaterThanOrEqual(6_000)
      expect(await api().untilTask(id, 'completed', 'failed')).toMatchObject({
        status: 'completed',
        attempts: 2,
      })
      expect(calls).toHaveLength(2)
      expect((calls[1] ?? 0) - (calls[0] ?? 0)).toBeGreaterThanOrEqual(6_000)
    },
  )

  it('that is down opens the breaker, which costs its tasks no attempt: they wait until it lets a call through', async () => {
    const { wire, api } = provider()
    wire.replies = [status(500, { error: { message: 'down' } })]
    const ids: string[] = []
    for (let n = 0; n < 10; n += 1) ids.push((await api().create({ title: `Task ${n}` })).id)
    const refused = await until(async () => {
      const all = await Promise.all(ids.map(api().task))
      return all.find(({ error }) => error?.code === 'circuit_open')
    })
    wire.replies = [saying('Done')]
    expect(await api().untilTask(refused.id, 'completed', 'failed')).toMatchObject({ status: 'completed' })
    const log = await api().events(refused.id)
    expect(log.filter(({ metadata }) => metadata?.code === 'circuit_open')).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ metadata: expect.objectContaining({ counted: false }) }),
      ]),
    )
    // Ten workspaces are made, and the breaker is open for 10 s.
  })

  it('that names an hour has its task wait in storage, also after a restart', async () => {
    const { wire, api, startAgain } = provider()
    wire.replies = [status(529, { error: { message: 'overloaded' } }, { 'retry-after': '3600' })]
    const { id } = await api().create({ title: 'Wait for it' })
    const waiting = await nextAttempt(id)
    expect(waiting).toMatchObject({ status: isOffline ? 'pending' : 'queued', attempts: 1 })
    await startAgain((service) => service.stop())
    // A task that was created later runs now: the other one would have begun before it.
    wire.replies = [saying('Done')]
    expect(await api().perform({ title: 'The next one' })).toMatchObject({ status: 'completed' })
    const { nextAttemptAt } = waiting
    expect(await api().task(id)).toMatchObject({ status: waiting.status, attempts: 1, nextAttemptAt })
    expect(Date.parse(nextAttemptAt ?? '') - Date.parse(waiting.createdAt)).toBeGreaterThanOrEqual(3_600_000)
  })
})
