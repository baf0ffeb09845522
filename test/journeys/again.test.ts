import { describe, expect, it } from '@jest/globals'
import { connect, eventTypes } from './client.ts'
import { moodyTask, moodyWorld } from './moody.ts'
import { startService } from './service.ts'

describe('an Idempotency-Key', () => {
  it('makes one task of twenty creates at once, also after a kill -9', async () => {
    using world = moodyWorld()
    const headers = { 'idempotency-key': 'order-17' }
    const body = moodyTask('exactly once')
    await using first = await startService(world)
    const { client, untilTask, events } = connect(first.baseUrl)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => client.createTask.raw({ body }, { headers })),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201))
    const replayed = answers.map((answer) => answer.headers.get('idempotent-replayed'))
    expect(replayed.filter((value) => value === null)).toHaveLength(1)
    expect(replayed.filter((value) => value === 'true')).toHaveLength(19)
    const [text = '', ...others] = await Promise.all(answers.map((answer) => answer.text()))
    expect(new Set(others)).toEqual(new Set([text]))
    const { id } = JSON.parse(text).task
    await untilTask(id, 'completed')
    expect(eventTypes(await events(id))).toEqual(['created', 'queued', 'started', 'completed'])
    expect((await client.listTasks()).total).toBe(1)
    await first.kill9()

    await using second = await startService(world)
    const later = connect(second.baseUrl)
    const replay = await later.client.createTask.raw({ body }, { headers })
    expect([replay.headers.get('idempotent-replayed'), await replay.text()]).toEqual(['true', text])
    expect((await later.client.listTasks()).total).toBe(1)
  })
})
