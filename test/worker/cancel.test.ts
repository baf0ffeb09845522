import { describe, expect, it } from '@jest/globals'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { ANN, startDomains, turns } from '../fakes/service.ts'

const running = async (env: Record<string, string> = {}) => {
  const agent = createFakeAgent(HOLD)
  const service = await startDomains({ adapters: [agent], env })
  const { id } = await service.run()
  const [run] = agent.runs
  if (!run) throw new Error('the task does not run')
  return { agent, service, id, run }
}

describe('cancelling a running task', () => {
  it('cancels at once and aborts the run with a reason', async () => {
    const { service, id, run } = await running()

    const task = await service.tasks.cancel(ANN, id)

    expect(task).toMatchObject({ status: 'cancelled', completedAt: '2026-01-01T12:00:00.000Z' })
    expect(run.signal.reason).toMatchObject({ name: 'RunStopped', code: 'cancelled' })
    expect(await service.eventTypes(id)).toEqual(['created', 'queued', 'started', 'cancelled'])
  })

  it.each([
    ['succeeds', (finish: () => void) => finish()],
    ['fails', (_: () => void, fail: () => void) => fail()],
  ])('stays cancelled when its agent still %s', async (_name, end) => {
    const { service, id, run, agent } = await running()
    await service.tasks.cancel(ANN, id)

    end(run.finish, () => run.fail(new Error('late')))
    await service.pass(60_000)

    expect(await service.tasks.get(id)).toMatchObject({ status: 'cancelled' })
    expect((await service.tasks.get(id)).result).toBeUndefined()
    expect(agent.runs).toHaveLength(1)
    expect((await service.deadLetters.countAll()).total).toBe(0)
  })

  it('stays cancelled when the agent ends in the very turn of the cancel', async () => {
    const { service, id, run } = await running()
    const cancelled = service.tasks.cancel(ANN, id)
    run.finish()

    const [answer] = await Promise.allSettled([cancelled])
    await turns()

    const { status } = await service.tasks.get(id)
    expect(status).toBe(answer?.status === 'fulfilled' ? 'cancelled' : 'completed')
    expect(await service.eventTypes(id)).toEqual(['created', 'queued', 'started', status])
  })

  it('frees the slot of an agent that ignores the abort after two seconds', async () => {
    const { service, id, agent, run } = await running({ POOL_MAX_CONCURRENT: '1' })
    const next = await service.create()
    await service.tasks.cancel(ANN, id)
    await service.pass(1_900)
    expect(agent.runs).toHaveLength(1)

    await service.pass(200)
    expect(agent.runs[1]?.task.id).toBe(next.id)
    run.finish()
    await turns()

    expect((await service.tasks.get(id)).status).toBe('cancelled')
  })

  it('stops a run of which only the heartbeat can tell that the task was cancelled elsewhere', async () => {
    const { service, id, run } = await running()
    const elsewhere = await startDomains({ after: service, background: false })
    await elsewhere.tasks.cancel(ANN, id)
    expect(run.signal.aborted).toBe(false)

    await service.pass(10_000)

    expect(run.signal.reason).toMatchObject({ code: 'lost' })
    expect((await service.tasks.get(id)).status).toBe('cancelled')
  })

  it('reaches a run of another process when that looks whether the task is still its own', async () => {
    const { service, id, run } = await running()
    const elsewhere = await startDomains({ after: service, background: false })
    await elsewhere.tasks.cancel(ANN, id)
    await turns()
    expect(run.signal.aborted).toBe(false)
    service.active.check()
    await turns()

    expect(run.signal.reason).toMatchObject({ code: 'lost' })
    expect((await service.tasks.get(id)).status).toBe('cancelled')
  })
})
