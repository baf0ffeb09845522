import { describe, expect, it } from '@jest/globals'
import type { AgentAdapter } from '../../lib/ports/agent.ts'
import { tasks } from '../../lib/tasks/rows.ts'
import { createFakeAgent } from '../fakes/agent.ts'
import { ANN, pass, startDomains, turns } from '../fakes/service.ts'

const MINUTE_MS = 60_000

/** Waits for approval on its first call, and ends with what it had left on the second. */
const waitOnce: AgentAdapter['execute'] = async (_task, { checkpoint }) =>
  checkpoint === undefined
    ? { waitingFor: 'approval', checkpoint: { step: 1 }, message: 'Waiting for approval of run_command' }
    : { success: true, output: `went on from ${JSON.stringify(checkpoint)}` }

const waiting = async () => {
  const agent = createFakeAgent(waitOnce)
  const service = await startDomains({ adapters: [agent] })
  const { id } = await service.run()
  await turns()
  const row = async () =>
    (await service.store.get(tasks, id, true)) as NonNullable<object> as Record<string, unknown>
  return { agent, service, id, row }
}

describe('a task whose run waits for approval', () => {
  it('stays in progress without a lease, and shows what it waits for', async () => {
    const { service, id, row } = await waiting()
    const task = await service.tasks.get(id)
    expect(task).toMatchObject({ status: 'in_progress', waitingFor: 'approval', attempts: 1 })
    expect(Object.keys(JSON.parse(JSON.stringify(task)))).not.toContain('checkpoint')
    expect((await row()).leaseExpiresAt).toBeUndefined()
    const { events } = await service.tasks.events(id)
    expect(events.at(-1)).toMatchObject({ type: 'progress', message: 'Waiting for approval of run_command' })
  })

  it('is left alone by the tick', async () => {
    const { service, id, agent } = await waiting()
    await pass(service.clock, 5 * MINUTE_MS, MINUTE_MS)
    expect(await service.tasks.get(id)).toMatchObject({ status: 'in_progress', waitingFor: 'approval' })
    expect(agent.runs).toHaveLength(1)
  })

  it('is asked again after a restart, since its decision may have been on its way', async () => {
    const { service, id } = await waiting()
    expect(await service.tasks.recovery.afterRestart()).toEqual({ resent: 1, recovered: 0 })
    await turns(40)
    expect(await service.tasks.get(id)).toMatchObject({ status: 'completed', attempts: 1 })
  })

  it('goes on with its checkpoint in the same attempt, once, however often it is told to', async () => {
    const { service, id, agent, row } = await waiting()
    const { fence } = (await row()) as { fence: number }
    await Promise.all([service.tasks.recovery.resume(id), service.tasks.recovery.resume(id)])
    await turns(40)
    expect(await service.tasks.get(id)).toMatchObject({
      ...{ status: 'completed', attempts: 1, result: { output: 'went on from {"step":1}' } },
    })
    expect(await service.tasks.get(id)).not.toMatchObject({ waitingFor: 'approval' })
    expect(agent.runs).toHaveLength(2)
    expect(await row()).toMatchObject({ fence: fence + 1 })
    expect((await row()).checkpoint).toBeUndefined()
    await service.tasks.recovery.resume(id)
  })

  it('goes on by itself when no decision comes', async () => {
    const { service, id } = await waiting()
    await pass(service.clock, 16 * MINUTE_MS, MINUTE_MS)
    expect(await service.tasks.get(id)).toMatchObject({ status: 'completed' })
  })

  it('is cancelled as any other, and leaves nothing behind', async () => {
    const { service, id, row } = await waiting()
    await service.tasks.cancel(ANN, id)
    await service.tasks.recovery.resume(id)
    await turns(40)
    expect(await service.tasks.get(id)).toMatchObject({ status: 'cancelled' })
    expect([(await row()).waitingFor, (await row()).checkpoint]).toEqual([undefined, undefined])
  })

  it('has its decision brought again while the run has not stopped yet', async () => {
    const agent = createFakeAgent(() => new Promise(() => undefined))
    const service = await startDomains({ adapters: [agent] })
    const { id } = await service.run()
    await expect(service.tasks.recovery.resume(id)).rejects.toMatchObject({ code: 'task_running' })
  })
})
