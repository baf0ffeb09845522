import { describe, expect, it } from '@jest/globals'
import { until } from './api.ts'
import { connect } from './client.ts'
import { scriptedTask, scriptedWorld } from './scripted.ts'
import { isOffline, startService } from './service.ts'

const LONG = { runMs: 600_000 }
const SHORT_RUNS = 120

describe('tasks that wait for a slot', () => {
  it('are queued without a lease, also after many short runs, and the most urgent is the next to start', async () => {
    using world = scriptedWorld({ QUEUE_CONCURRENCY: '2' })
    await using service = await startService(world)
    const api = connect(service.baseUrl)
    const short = Array.from({ length: SHORT_RUNS }, (_, n) => api.perform(scriptedTask(`Short ${n}`)))
    expect((await Promise.all(short)).map(({ status }) => status)).toEqual(short.map(() => 'completed'))

    const ids: string[] = []
    for (let n = 0; n < 6; n += 1) ids.push((await api.create(scriptedTask(`Long ${n}`, LONG))).id)
    const started = () =>
      world
        .journal()
        .filter(({ did }) => did === 'start')
        .slice(SHORT_RUNS)
        .map(({ taskId }) => taskId)
    await until(async () => (started().length === 2 ? true : undefined))
    const states = (await Promise.all(ids.map(api.task))).map(({ status }) => status).sort()
    expect(states).toEqual(['in_progress', 'in_progress', 'queued', 'queued', 'queued', 'queued'])

    const urgent = await api.create({ ...scriptedTask('Urgent', LONG), priority: 1 })
    // In mode pro it has workers of its own.
    if (isOffline) await until(async () => (started().includes(urgent.id) ? true : undefined))
    await api.client.cancelTask({ params: { id: started()[0] ?? '' } })
    await until(async () => (started().length > 2 ? true : undefined))
    expect(started()[2]).toBe(urgent.id)
  })
})
