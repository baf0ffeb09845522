import { describe, expect, it } from '@jest/globals'
import { type Api, apiOf, until } from '../journeys/api.ts'
import { scriptedTask, scriptedWorld } from '../journeys/scripted.ts'
import { startService } from '../journeys/service.ts'
import { count, replay } from './event-log.ts'

const GONE_WITHIN_MS = 2_000
const LONG_MS = 60_000

const lives = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** What a cancelled task must look like from then on. */
const expectCancelled = async (api: Api, id: string) => {
  const [task, events] = await Promise.all([api.task(id), api.events(id)])
  expect(task).toMatchObject({ status: 'cancelled', attempts: 1, completedAt: expect.any(String) })
  expect(task).not.toHaveProperty('result')
  expect(replay(events)).toEqual({ status: 'cancelled' })
  expect(events.at(-1)).toMatchObject({ type: 'cancelled' })
  expect(count(events, 'completed')).toBe(0)
}

describe('a cancel of running work', () => {
  it('ends the child process of the run within two seconds, and the task stays cancelled', async () => {
    using world = scriptedWorld()
    await using service = await startService(world)
    const api = apiOf(service.baseUrl)
    const { id } = await api.create(scriptedTask('with a child', { manner: 'child', runMs: LONG_MS }))
    const { child = 0 } = await until(() => world.journal()[0])
    expect(lives(child)).toBe(true)
    const cancelledAt = performance.now()
    expect(await api.cancel(id)).toMatchObject({ id, status: 'cancelled' })
    await until(() => !lives(child) || undefined)
    expect(performance.now() - cancelledAt).toBeLessThan(GONE_WITHIN_MS)
    await api.untilTask((await api.create(scriptedTask('after it'))).id, 'completed')
    await expectCancelled(api, id)
  })

  it.each(['deaf', 'endless'] as const)(
    'frees the slot of an agent that is %s to it, and stays cancelled',
    async (manner) => {
      using world = scriptedWorld({ QUEUE_CONCURRENCY: '1', POOL_MAX_CONCURRENT: '1' })
      await using service = await startService(world)
      const api = apiOf(service.baseUrl)
      const { id } = await api.create(scriptedTask('ignores its signal', { manner, runMs: 4_500 }))
      const next = await api.create(scriptedTask('waits for the only slot'))
      await until(() => world.journal()[0])
      await api.cancel(id)
      await api.untilTask(next.id, 'completed')
      const ended = () => world.journal().some(({ taskId, did }) => taskId === id && did === 'end')
      expect(ended()).toBe(false)
      await expectCancelled(api, id)
      if (manner === 'endless') return
      // The agent reports progress and a success now; nobody listens any more.
      await until(() => ended() || undefined)
      await api.untilTask((await api.create(scriptedTask('after it'))).id, 'completed')
      await expectCancelled(api, id)
    },
  )

  it('reaches a task that waits for its next attempt after the service was killed', async () => {
    using world = scriptedWorld({ QUEUE_CONCURRENCY: '1' })
    await using first = await startService(world)
    const running = await apiOf(first.baseUrl).create(
      scriptedTask('runs', { manner: 'deaf', runMs: LONG_MS }),
    )
    const waiting = await apiOf(first.baseUrl).create(scriptedTask('waits'))
    await until(() => world.journal()[0])
    expect(await apiOf(first.baseUrl).cancel(waiting.id)).toMatchObject({ status: 'cancelled' })
    await first.kill9()
    await using second = await startService(world)
    const api = apiOf(second.baseUrl)
    await until(() => world.journal()[1])
    await api.cancel(running.id)
    await api.untilIdle()
    expect((await api.task(running.id)).status).toBe('cancelled')
    expect(await api.task(waiting.id)).toMatchObject({ status: 'cancelled', attempts: 0 })
    expect(world.journal().every(({ taskId }) => taskId === running.id)).toBe(true)
  })
})
