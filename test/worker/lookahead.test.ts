import { describe, expect, it } from '@jest/globals'
import type { Store } from '../../lib/ports/store.ts'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { startDomains, turns, until } from '../fakes/service.ts'

const TASKS = 70

/** Storage whose claims are held back while `isClosed`, and counted. */
const gated = () => {
  const gate = { isClosed: false, claims: 0, open: () => undefined as unknown }
  const waiting: (() => void)[] = []
  gate.open = () => {
    gate.isClosed = false
    for (const resolve of waiting.splice(0)) resolve()
  }
  const over = (real: Store): Store => ({
    ...real,
    commit: async (head, ...more) => {
      const isClaim =
        'update' in head && (head.set as { status?: string } | undefined)?.status === 'in_progress'
      if (isClaim && gate.isClosed) {
        gate.claims += 1
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
      return real.commit(head, ...more)
    },
  })
  return { gate, over }
}

describe('a worker whose runs are short', () => {
  it('claims tasks ahead of free slots, as many as the pool has room for, and runs no more at once than there are slots', async () => {
    const { gate, over } = gated()
    let running = 0
    let most = 0
    const agent = createFakeAgent(async () => {
      running += 1
      most = Math.max(most, running)
      await turns(1)
      running -= 1
      return { success: true, output: 'done' }
    })
    await using service = await startDomains({ adapters: [agent], wrapStore: over })
    // The mean of the lengths has to come down from what is assumed of an agent that has not run yet.
    for (let n = 0; n < 100; n += 1) await service.create()
    await until(async () => (await service.counters.byStatus()).completed === 100)
    gate.isClosed = true
    for (let n = 0; n < TASKS; n += 1) await service.create()
    await turns(50)
    expect(gate.claims).toBe(service.config.POOL_MAX_CONCURRENT)
    gate.open()
    await until(async () => (await service.counters.byStatus()).completed === 100 + TASKS)
    expect(most).toBe(service.config.QUEUE_CONCURRENCY)
  })
})

describe('a worker whose runs are long, or not known yet', () => {
  it('claims no task that it has no slot for', async () => {
    await using service = await startDomains({ adapters: [createFakeAgent(HOLD)] })
    for (let n = 0; n < TASKS; n += 1) await service.create()
    await turns(50)
    expect(await service.counters.byStatus()).toMatchObject({
      in_progress: service.config.QUEUE_CONCURRENCY,
      queued: TASKS - service.config.QUEUE_CONCURRENCY,
    })
    service.active.stopAll('shutdown')
  })
})
