import { describe, expect, it } from '@jest/globals'
import { Problem } from '../../lib/core/errors.ts'
import type { Store } from '../../lib/ports/store.ts'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { startDomains, turns } from '../fakes/service.ts'

const unavailable = () => new Problem('unavailable', 'storage_unavailable', 'not now')

/** Numbers in [0, 1) that are the same in every run (mulberry32). */
const seeded = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
}

/** Storage whose writes fail as often as `share` says. */
const flaky =
  (share: number, random: () => number) =>
  (real: Store): Store => ({
    ...real,
    commit: (...change) => (random() < share ? Promise.reject(unavailable()) : real.commit(...change)),
  })

describe('with 30 % of all writes refused', () => {
  it.each([1, 2, 3])('no task is lost and none ends twice (seed %i)', async (seed) => {
    const random = seeded(seed)
    const agent = createFakeAgent(async () => {
      if (random() < 0.3) throw new Error('broken')
      return { success: true, output: 'done' }
    })
    const service = await startDomains({ adapters: [agent], wrapStore: flaky(0.3, random) })
    const created: string[] = []
    for (let at = 0; at < 60; at++) {
      await service.create().then(
        ({ id }) => created.push(id),
        (thrown) => expect(thrown).toMatchObject({ kind: 'unavailable' }),
      )
    }
    await service.pass(400_000, 500)

    const { completed = 0, failed = 0 } = await service.counters.byStatus()
    expect(completed + failed).toBe(created.length)
    for (const id of created) {
      const types = await service.eventTypes(id)
      expect(types.filter((type) => type === 'completed' || type === 'failed')).toHaveLength(1)
    }
    expect((await service.deadLetters.countAll()).pending).toBe(failed)
  })
})

describe('a result that storage refuses', () => {
  /** Refuses the next writes, once the agent has run. */
  const refusing = async (refusals: number) => {
    let left = 0
    const agent = createFakeAgent(async () => {
      left = refusals
      return { success: true, output: 'done' }
    })
    const service = await startDomains({
      adapters: [agent],
      wrapStore: (real) => ({
        ...real,
        commit: (...change) => (left-- > 0 ? Promise.reject(unavailable()) : real.commit(...change)),
      }),
    })
    const { id } = await service.run()
    return { agent, service, id }
  }

  it('is written again, up to three more times', async () => {
    const { service, id, agent } = await refusing(3)
    await service.pass(1_400)

    expect((await service.tasks.get(id)).status).toBe('completed')
    expect(agent.runs).toHaveLength(1)
  })

  it('is the end all the same: progress told before it is written is not heard', async () => {
    const { service, id, agent } = await refusing(1)
    agent.runs[0]?.progress('one more thing')
    await service.pass(100)

    expect(await service.eventTypes(id)).toEqual(['created', 'queued', 'started', 'completed'])
  })

  it('after that leaves the task to the end of its lease, and then to the next attempt', async () => {
    const { service, id } = await refusing(4)
    await service.pass(20_000)
    expect((await service.tasks.get(id)).status).toBe('in_progress')

    await service.pass(20_000)

    expect(await service.eventTypes(id)).toEqual(
      expect.arrayContaining(['created', 'queued', 'started', 'recovered']),
    )
  })

  it('keeps its task from the tick while it is being written again, though the lease is short', async () => {
    let refusals = 3
    const agent = createFakeAgent(HOLD)
    const service = await startDomains({
      adapters: [agent],
      env: { TASK_LEASE_MS: '1000' },
      wrapStore: (real) => ({
        ...real,
        commit: (...change) => {
          const [head] = change
          const ends = 'update' in head && 'status' in (head.set ?? {}) && 'result' in (head.set ?? {})
          return ends && refusals-- > 0 ? Promise.reject(unavailable()) : real.commit(...change)
        },
      }),
    })
    const { id } = await service.run()
    await service.pass(900)
    agent.runs[0]?.finish()
    await service.pass(3_000)

    expect(await service.eventTypes(id)).toEqual(['created', 'queued', 'started', 'completed'])
    expect(agent.runs).toHaveLength(1)
  })

  it('is also the verdict on a task whose adapter is gone', async () => {
    const before = await startDomains({
      adapters: [createFakeAgent(undefined, { type: 'old' })],
      background: false,
    })
    const { id } = await before.create()
    let writes = 0
    const service = await startDomains({
      after: before,
      // The first write is the claim, the second the failure.
      wrapStore: (real) => ({
        ...real,
        commit: (...change) => (++writes === 2 ? Promise.reject(unavailable()) : real.commit(...change)),
      }),
    })
    await turns()
    await service.pass(100)

    expect(await service.tasks.get(id)).toMatchObject({ status: 'failed', attempts: 1 })
  })
})
