import { expect, it } from '@jest/globals'
import { count, replay } from '../crash/event-log.ts'
import type { Script } from '../fixtures/agents/scripted.ts'
import { taskApi, until } from '../journeys/api.ts'
import { scriptedTask, scriptedWorld } from '../journeys/scripted.ts'
import { startService } from '../journeys/service.ts'
import { isRunning, processTree } from './processes.ts'
import { describeOffline } from './suite.ts'

const MANNERS: (Script['manner'] & string)[] = ['heeding', 'deaf', 'child', 'endless']

describeOffline('npm run offline that hears SIGTERM or Ctrl-C', () => {
  it('ends with all it started, and gives back what runs, its attempt not counted', async () => {
    using world = scriptedWorld()
    await using first = await startService(world)
    const api = taskApi(first.baseUrl)
    const ids = await Promise.all(
      MANNERS.map(async (manner) => (await api.create(scriptedTask('long', { manner, runMs: 60_000 }))).id),
    )
    const short = await api.create(scriptedTask('ends in time', { runMs: 2_000 }))
    await until(() => (world.journal().length === ids.length + 1 ? true : undefined))
    const family = processTree(first.pid)
    first.kill('SIGINT')
    first.kill('SIGTERM')
    expect(await first.exited).toMatchObject({ code: 0, signal: null, stderr: '' })
    expect(family.filter(isRunning)).toEqual([])

    await using second = await startService({ env: { ...world.env, SCRIPTED_HURRY: '1' } })
    const after = taskApi(second.baseUrl)
    for (const id of ids) {
      const task = await after.untilTask(id, 'completed', 'failed')
      expect(task).toMatchObject({ status: 'completed', attempts: 1 })
      const events = await after.events(id)
      expect(replay(events)).toEqual({ status: 'completed' })
      expect([count(events, 'started'), count(events, 'recovered')]).toEqual([2, 1])
    }
    const events = await after.events(short.id)
    expect([count(events, 'started'), count(events, 'completed')]).toEqual([1, 1])
  })
})
