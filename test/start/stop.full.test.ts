import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { auditAll, rerun } from '../crash/audit.ts'
import { count, replay } from '../crash/event-log.ts'
import { produceDuring } from '../crash/producer.ts'
import type { Script } from '../fixtures/agents/scripted.ts'
import { taskApi, until } from '../journeys/api.ts'
import { scriptedTask, scriptedWorld } from '../journeys/scripted.ts'
import { startService } from '../journeys/service.ts'

const LONG_MS = 60_000
// With a key there is no demo model whose socket would keep the process alive.
const settings = { ANTHROPIC_API_KEY: 'never-used' }
const stopped = { code: 0, signal: null, stderr: '' }

describe('a service that gets SIGTERM', () => {
  it('lets running work end, however often it gets the signal', async () => {
    using world = scriptedWorld(settings)
    await using first = await startService(world)
    const { id } = await taskApi(first.baseUrl).create(scriptedTask('ends in time', { runMs: 2_000 }))
    await until(() => world.journal()[0])
    first.kill('SIGTERM')
    await sleep(300)
    first.kill('SIGTERM')
    first.kill('SIGINT')
    expect(await first.stop()).toMatchObject(stopped)
    expect(world.journal().map(({ did }) => did)).toEqual(['start', 'end'])
    await using second = await startService(world)
    expect(await taskApi(second.baseUrl).task(id)).toMatchObject({ status: 'completed', attempts: 1 })
  })

  it.concurrent.each<Script['manner'] & string>(['heeding', 'deaf', 'child', 'endless'])(
    'gives back what does not end (%s), its attempt not counted',
    async (manner) => {
      using world = scriptedWorld(settings)
      await using first = await startService(world)
      const { id } = await taskApi(first.baseUrl).create(scriptedTask('too long', { manner, runMs: LONG_MS }))
      await until(() => world.journal()[0])
      expect(await first.stop()).toMatchObject(stopped)

      await using second = await startService({ env: { ...world.env, SCRIPTED_HURRY: '1' } })
      const api = taskApi(second.baseUrl)
      expect(await api.untilTask(id, 'completed', 'failed')).toMatchObject({
        status: 'completed',
        attempts: 1,
      })
      const events = await api.events(id)
      expect(replay(events)).toEqual({ status: 'completed' })
      expect([count(events, 'started'), count(events, 'recovered')]).toEqual([2, 1])
    },
    // Eight starts at once.
    120_000,
  )

  // Nothing but the end itself keeps this process alive: it has no storage thread, no demo model, no connection.
  it('waits for what runs in mode pico too, and tells it to stop', async () => {
    using world = scriptedWorld({ ...settings, SERVICE_MODE: 'pico' })
    await using service = await startService(world)
    await taskApi(service.baseUrl).create(scriptedTask('too long', { manner: 'endless' }))
    await until(() => world.journal()[0])
    expect(await service.stop()).toMatchObject(stopped)
    expect(world.journal().map(({ did }) => did)).toEqual(['start', 'told'])
  })

  it('loses nothing that it acknowledged while it ended', async () => {
    using world = scriptedWorld(settings)
    const acknowledged: string[] = []
    for (const round of [1, 2, 3]) {
      await using service = await startService(world)
      const stopInTheMiddle = async () => {
        await sleep(500)
        expect(await service.stop()).toMatchObject(stopped)
      }
      const produced = await produceDuring(stopInTheMiddle, {
        names: ['a', 'b', 'c', 'd'].map((name) => `${name}-${round}`),
        keyed: () => false,
        seed: 10 * round,
        address: () => service.baseUrl,
      })
      acknowledged.push(...produced.acknowledged)
    }
    await using service = await startService(world)
    const api = taskApi(service.baseUrl)
    const { tasks, wrong } = await auditAll(api, acknowledged, world.journal)
    expect(wrong).toEqual([])
    expect(rerun(world.journal())).toEqual([])
    expect(tasks.every(({ attempts }) => attempts === 1)).toBe(true)
  })
})
