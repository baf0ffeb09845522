import { describe, expect, it } from '@jest/globals'
import { taskApi, until } from '../journeys/api.ts'
import { scriptedTask, scriptedWorld } from '../journeys/scripted.ts'
import { startService } from '../journeys/service.ts'

const LONG_MS = 60_000

describe('a cancel of running work', () => {
  it('reaches a task that waits for its next attempt after the service was killed', async () => {
    using world = scriptedWorld({ QUEUE_CONCURRENCY: '1' })
    await using first = await startService(world)
    const running = await taskApi(first.baseUrl).create(
      scriptedTask('runs', { manner: 'deaf', runMs: LONG_MS }),
    )
    const waiting = await taskApi(first.baseUrl).create(scriptedTask('waits'))
    await until(() => world.journal()[0])
    expect(await taskApi(first.baseUrl).cancel(waiting.id)).toMatchObject({ status: 'cancelled' })
    await first.kill9()
    await using second = await startService(world)
    const api = taskApi(second.baseUrl)
    await until(() => world.journal()[1])
    await api.cancel(running.id)
    await api.untilIdle()
    expect((await api.task(running.id)).status).toBe('cancelled')
    expect(await api.task(waiting.id)).toMatchObject({ status: 'cancelled', attempts: 0 })
    expect(world.journal().every(({ taskId }) => taskId === running.id)).toBe(true)
  })
})
