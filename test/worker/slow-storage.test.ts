import { describe, expect, it } from '@jest/globals'
import type { Store } from '../../lib/ports/store.ts'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { startDomains, turns } from '../fakes/service.ts'

/** Storage that answers nothing while it `hangs`, and counts what it was asked. */
const hanging = () => {
  const asked = { hangs: false, commits: 0, gets: 0, answer: () => undefined as unknown }
  const waiting: (() => void)[] = []
  const answered = <T>(call: () => Promise<T>): Promise<T> =>
    asked.hangs ? new Promise<void>((resolve) => waiting.push(resolve)).then(call) : call()
  asked.answer = () => {
    asked.hangs = false
    for (const resolve of waiting.splice(0)) resolve()
  }
  const over = (real: Store): Store => ({
    ...real,
    commit: (...change) => {
      if (asked.hangs) asked.commits += 1
      return answered(() => real.commit(...change))
    },
    get: (...key) => {
      if (asked.hangs) asked.gets += 1
      return answered(() => real.get(...key))
    },
  })
  return { asked, over }
}

describe('a run, while storage does not answer', () => {
  it('has one heartbeat and one look on their way, however long it takes, and renews its lease after it', async () => {
    const { asked, over } = hanging()
    const agent = createFakeAgent(HOLD)
    const service = await startDomains({ adapters: [agent], background: false, wrapStore: over })
    const { id } = await service.create()
    void service.worker.run({ taskId: id, attempt: 1 })
    await turns()
    asked.hangs = true
    for (let n = 0; n < 20; n += 1) {
      service.active.check()
      service.active.beat()
    }
    await turns()
    expect(asked).toMatchObject({ commits: 1, gets: 1 })
    asked.answer()
    await turns()
    asked.hangs = true
    service.active.beat()
    service.active.check()
    await turns()
    expect(asked).toMatchObject({ commits: 2, gets: 1 })
    asked.answer()
    agent.runs[0]?.finish()
    await turns()
    expect(await service.tasks.get(id)).toMatchObject({ status: 'completed' })
  })

  it('is not told to stop when its agent is done before a look at the lease says that it is over', async () => {
    const looking = Promise.withResolvers<void>()
    let isSlow = false
    const agent = createFakeAgent(HOLD)
    const over = (real: Store): Store => ({
      ...real,
      get: async (...key) => {
        if (isSlow) await looking.promise
        return real.get(...key)
      },
    })
    const service = await startDomains({ adapters: [agent], background: false, wrapStore: over })
    const { id } = await service.create()
    void service.worker.run({ taskId: id, attempt: 1 })
    await turns()
    isSlow = true
    service.active.check()
    agent.runs[0]?.finish()
    await turns()
    isSlow = false
    looking.resolve()
    await turns()
    expect(await service.tasks.get(id)).toMatchObject({ status: 'completed' })
    expect(agent.runs[0]?.signal.aborted).toBe(false)
  })
})
