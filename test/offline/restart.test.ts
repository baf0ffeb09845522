import { expect, it } from '@jest/globals'
import { until } from '../journeys/api.ts'
import { connect } from '../journeys/client.ts'
import { moodyTask, moodyWorld } from '../journeys/moody.ts'
import { type Service, startService } from '../journeys/service.ts'
import { isRunning, processTree } from './processes.ts'
import { describeOffline } from './suite.ts'

/** Longer than what a row holds: it lies in a file. */
const LONG = 'long '.repeat(20_000)

const begin = async (service: Service) => {
  const { client, create, perform, task } = connect(service.baseUrl)
  const done = await perform({ ...moodyTask('done'), prompt: LONG })
  const failed = await perform(moodyTask('failed', { failures: 99 }))
  const running = await create(moodyTask('running', { runMs: 600_000 }))
  await until(async () => ((await task(running.id)).status === 'in_progress' ? true : undefined))
  const waiting = await create(moodyTask('waiting', { runMs: 600_000 }))
  await until(async () => ((await client.listNotifications()).total === 1 ? true : undefined))
  return { done, failed, running, waiting }
}

describeOffline('npm run offline that is killed', () => {
  it('leaves no process behind, and the next one finds all tasks and finishes them', async () => {
    using world = moodyWorld({ QUEUE_CONCURRENCY: '1' })
    await using first = await startService(world)
    const before = await begin(first)
    const family = processTree(first.pid)
    expect(family.length).toBeGreaterThan(2)
    await first.kill9()
    await until(async () => !family.some(isRunning) || undefined)

    world.cure()
    await using second = await startService(world)
    const { client, task, untilTask } = connect(second.baseUrl)
    expect(await task(before.done.id)).toEqual(before.done)
    expect(before.done.prompt).toBe(LONG)
    expect(await task(before.failed.id)).toEqual(before.failed)
    expect((await client.listDlq()).items).toMatchObject([{ taskId: before.failed.id, status: 'pending' }])
    expect(await client.listNotifications()).toMatchObject({ total: 1, unread: 1 })
    expect(await untilTask(before.running.id, 'completed', 'failed')).toMatchObject({
      status: 'completed',
      attempts: 2,
    })
    expect(await untilTask(before.waiting.id, 'completed', 'failed')).toMatchObject({
      status: 'completed',
      attempts: 1,
    })
    expect((await client.listTasks()).total).toBe(4)
  })
})
