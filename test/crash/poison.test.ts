import { describe, expect, it } from '@jest/globals'
import { ask, taskApi, until } from '../journeys/api.ts'
import { scriptedTask, scriptedWorld } from '../journeys/scripted.ts'
import { startService } from '../journeys/service.ts'
import { replay } from './event-log.ts'

const ATTEMPTS = 3

describe('a task that takes its service down with every run', () => {
  it('is given up after its last attempt, and can be decided in the dead letter queue', async () => {
    using world = scriptedWorld({ QUEUE_RETRY_ATTEMPTS: String(ATTEMPTS) })
    let id = ''
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      await using service = await startService(world)
      const api = taskApi(service.baseUrl)
      if (attempt === 1) ({ id } = await api.create(scriptedTask('poison', { manner: 'endless' })))
      await until(() => world.journal().length === attempt || undefined)
      // What can be read was stored, so this attempt counts although its process dies.
      expect(await api.untilTask(id, 'in_progress')).toMatchObject({ attempts: attempt })
      await service.kill9()
    }
    await using service = await startService(world)
    const api = taskApi(service.baseUrl)
    expect(await api.task(id)).toMatchObject({
      status: 'failed',
      attempts: ATTEMPTS,
      error: { code: 'worker_lost' },
    })
    expect(replay(await api.events(id))).toEqual({ status: 'failed' })
    const { body } = await ask<{ items: unknown[] }>(`${service.baseUrl}/api/dlq`)
    expect(body.items).toMatchObject([{ taskId: id, attempts: ATTEMPTS, status: 'pending' }])
    expect(world.journal().map(({ attempt }) => attempt)).toEqual([1, 2, 3])
  })
})
