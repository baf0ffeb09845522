import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { taskApi, until } from '../journeys/api.ts'
import { scriptedTask, scriptedWorld } from '../journeys/scripted.ts'
import { startService } from '../journeys/service.ts'
import { auditTasks, rerun } from './audit.ts'

const LEASE_MS = 1_000

describe('a service that stands still for longer than its leases', () => {
  it('goes on with what it ran, and runs nothing twice', async () => {
    using world = scriptedWorld({ TASK_LEASE_MS: String(LEASE_MS) })
    await using service = await startService(world)
    const api = taskApi(service.baseUrl)
    const manners = ['heeding', 'deaf', 'child'] as const
    await Promise.all(manners.map((manner) => api.create(scriptedTask(manner, { manner, runMs: 1_500 }))))
    await until(() => world.journal().length === manners.length || undefined)
    service.kill('SIGSTOP')
    await sleep(2 * LEASE_MS)
    service.kill('SIGCONT')
    await api.untilIdle()
    const { tasks } = await api.page('limit=200')
    expect(await auditTasks(api, tasks, world.journal())).toEqual([])
    expect(rerun(world.journal())).toEqual([])
    expect(tasks.map(({ attempts }) => attempts)).toEqual([1, 1, 1])
  })
})
