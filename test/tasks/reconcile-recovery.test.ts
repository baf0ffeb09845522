import { describe, expect, it } from '@jest/globals'
import type { Store } from '../../lib/ports/store.ts'
import { databaseForTests } from '../fakes/database.ts'
import { ANN, BODY } from './reconcile-verbs.ts'
import { openWorld } from './reconcile-world.ts'

const DAY_MS = 86_400_000

const database = databaseForTests()

const started = async () => {
  const world = await openWorld(database().client)
  const service = world.serve()
  const tick = () => service.recovery.tick(() => false)
  /** Messages since the last look. */
  const news = () => world.sent.splice(0)
  return { world, service, tick, news }
}

/** Storage that keeps nothing more of what `isBroken` names. */
const breaking =
  (isBroken: (key: unknown) => boolean) =>
  (real: Store): Store =>
    Object.assign(Object.create(real), {
      commit: (...[head, ...rest]: Parameters<Store['commit']>) =>
        'key' in head && isBroken(head.key)
          ? Promise.reject(new Error('its detail is gone'))
          : real.commit(head, ...rest),
    })

describe('a task that cannot be recovered', () => {
  it.each(['tick', 'afterRestart'] as const)('costs the others nothing at %s, and is named', async (way) => {
    const { world, service } = await started()
    const [bad, good] = [await service.create(ANN, BODY), await service.create(ANN, BODY)]
    for (const { id } of [bad, good]) await service.runs.claim({ taskId: id, attempt: 1 })
    world.clock.advance(61_000)
    const hurt = world.serve(breaking((key) => key === bad.id))
    await hurt.recovery[way](() => false)
    expect(await service.get(bad.id)).toMatchObject({ status: 'in_progress' })
    expect(await service.get(good.id)).toMatchObject({ status: 'queued' })
    expect(hurt.log.entries.filter(({ level }) => level === 'error')).toMatchObject([
      { fields: { taskId: bad.id, reason: 'its detail is gone' } },
    ])
  })
})

describe('a queued task whose message the queue refuses', () => {
  it('costs the others nothing after a restart, and is named', async () => {
    const { world, service, news } = await started()
    const [bad, good] = [await service.create(ANN, BODY), await service.create(ANN, BODY)]
    news()
    let sends = 0
    world.faults.onSend = () => {
      sends += 1
      if (sends === 1) throw new Error('not this one')
    }
    expect(await service.recovery.afterRestart()).toEqual({ resent: 1, recovered: 0 })
    expect(news()).toEqual([{ taskId: good.id, attempt: 1 }])
    expect(service.log.entries).toMatchObject([
      { level: 'error', fields: { taskId: bad.id, reason: 'not this one' } },
    ])
  })
})

describe('a tick beside a durable queue', () => {
  it('sends a task again that has waited for longer than the queue keeps messages, once in that time', async () => {
    const { world, service, tick, news } = await started()
    const { id } = await service.create(ANN, BODY)
    world.clock.advance(9 * DAY_MS)
    await service.create(ANN, BODY)
    news()
    await tick()
    expect(news()).toEqual([])
    world.clock.advance(1.1 * DAY_MS)
    await tick()
    await tick()
    expect(news()).toEqual([{ taskId: id, attempt: 1 }])
    world.clock.advance(10.1 * DAY_MS)
    await tick()
    expect(news()).toHaveLength(2)
  })

  it('begins no more work after a while, whatever there is, and goes on with the next one', async () => {
    const { world, service, tick, news } = await started()
    world.faults.refuse = true
    const tasks = 500
    for (let made = 0; made < tasks; made += 100)
      await Promise.all(Array.from({ length: 100 }, () => service.create(ANN, BODY)))
    world.faults.refuse = false
    world.clock.advance(11_000)
    world.faults.onSend = () => world.clock.advance(100)
    await tick()
    expect(news()).toHaveLength(200)
    world.faults.onSend = undefined
    await tick()
    expect(news()).toHaveLength(tasks - 200)
  })
})
