import { describe, expect, it } from '@jest/globals'
import { toEvents } from '../../lib/outbound-webhooks/events.ts'
import type { AgentAdapter } from '../../lib/ports/agent.ts'
import { tasks } from '../../lib/tasks/rows.ts'
import { createFakeAgent } from '../fakes/agent.ts'
import { ANN, pass, startDomains, turns, until } from '../fakes/service.ts'

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

const DAY_MS = 24 * 60 * MINUTE_MS

type Asking = Awaited<ReturnType<typeof asking>>

/** A task whose run asks for the approvals of these calls, and ends after they are decided. */
const asking = async (
  tools: readonly { tool: string; ttlMs?: number }[],
  more: Parameters<typeof startDomains>[0] = {},
) => {
  const agent = createFakeAgent(async ({ id: taskId, createdBy: userId }, { checkpoint }) => {
    await turns(1)
    if (checkpoint !== undefined) return { success: true, output: 'Done' }
    const asked = tools.map(({ tool, ...time }) =>
      service.approvals.ask({
        tool,
        risk: 'write',
        title: tool,
        mode: 'ask',
        arguments: {},
        userId,
        taskId,
        ...time,
      }),
    )
    const approvals = (await Promise.all(asked)).map((answer, n) => ({
      approvalId: answer.state === 'pending' ? answer.approvalId : '',
      toolCallId: `call_${n}`,
      name: tools[n]?.tool ?? '',
    }))
    return { waitingFor: 'approval', checkpoint: {}, message: 'Waiting for approval', approvals }
  })
  const service = await startDomains({ adapters: [agent], ...more })
  const { id } = await service.run()
  await until(async () => (await service.tasks.get(id)).waitingFor === 'approval')
  const decide = async (decision: 'allow-once' | 'deny'): Promise<void> => {
    for (const approval of await service.approvals.list(ANN))
      await service.approvals.decide(ANN, approval.id, decision)
  }
  return { agent, service, id, decide }
}

describe('a task that a person has to decide about', () => {
  it('waits for as long as it takes, as one that does not run, and with no more in its log', async () => {
    const { service, id, agent, decide } = await asking([{ tool: 'git' }, { tool: 'run_command' }])
    const { events } = await service.tasks.events(id)
    const since = new Date(service.clock.now()).toISOString()
    await pass(service.clock, 40 * DAY_MS, DAY_MS)
    expect(await service.tasks.recovery.afterRestart()).toEqual({ resent: 0, recovered: 0 })
    const task = await service.tasks.get(id)
    expect(task).toMatchObject({ status: 'in_progress', attempts: 1, waitingFor: 'approval' })
    expect(task.waiting).toEqual({ reason: 'approval', since })
    expect(await service.tasks.events(id)).toMatchObject({ events: { length: events.length } })
    expect(agent.runs).toHaveLength(1)
    await decide('allow-once')
    await until(async () => (await service.tasks.get(id)).status === 'completed')
    const ended = JSON.parse(JSON.stringify(await service.tasks.get(id)))
    expect(ended).toMatchObject({ attempts: 1, waitingMs: 40 * DAY_MS })
    expect(Object.keys(ended)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(waiting|waitingFor|approvalIds)$/)]),
    )
  })

  it('has not run while it waited, in every statistic', async () => {
    const { service, id, decide } = await asking([{ tool: 'git' }])
    await pass(service.clock, 2 * DAY_MS, DAY_MS / 4)
    await decide('allow-once')
    await turns(60)
    const { avgDurationMs, minDurationMs, maxDurationMs, completedTasks, recent } =
      await service.tasks.analytics({ window: '24h' })
    expect([completedTasks, recent?.run.count]).toEqual([1, 1])
    const [agent] = await service.agents.list()
    const entry = { id: `evt_${'0'.repeat(26)}`, type: 'completed', attempt: 1 } as const
    const told = toEvents(await service.tasks.get(id), entry).at(-1)?.payload as { duration: number }
    const times = [
      avgDurationMs,
      minDurationMs,
      maxDurationMs,
      recent?.run.p95Ms,
      agent?.stats.avgDuration,
      told.duration,
    ]
    expect(times.filter((ms) => ms === undefined || ms > MINUTE_MS)).toEqual([])
  })

  it.each([
    ['at its time', [{ tool: 'git', ttlMs: 2_000 }]],
    ['with the first of several', [{ tool: 'git' }, { tool: 'run_command', ttlMs: 2_000 }]],
  ])('fails when an approval expires, %s, and is not tried again', async (_when, tools) => {
    const { service, id, agent } = await asking(tools)
    const { waiting } = await service.tasks.get(id)
    expect(Date.parse(waiting?.until ?? '') - Date.parse(waiting?.since ?? '')).toBe(2_000)
    await pass(service.clock, 4_000, 500)
    await until(async () => (await service.tasks.get(id)).status !== 'in_progress')
    expect(await service.tasks.get(id)).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: { code: 'approval_expired' },
      waitingMs: expect.any(Number),
    })
    expect(agent.runs).toHaveLength(1)
    expect((await service.deadLetters.list({ status: 'pending', limit: 10 })).items).toMatchObject([
      { taskId: id },
    ])
    await until(async () => (await service.approvals.list(ANN)).length === 0)
  })

  it('asks anew when it is run again after that', async () => {
    const { service, id, agent } = await asking([{ tool: 'git', ttlMs: 2_000 }])
    await pass(service.clock, 4_000, 500)
    await until(async () => (await service.tasks.get(id)).status === 'failed')
    const [letter] = (await service.deadLetters.list({ status: 'pending', limit: 10 })).items
    await service.deadLetters.retry(ANN, letter?.id ?? '')
    await until(async () => (await service.tasks.get(id)).waitingFor === 'approval')
    const task = JSON.parse(JSON.stringify(await service.tasks.get(id)))
    expect([task.attempts, task.waitingMs, agent.runs.length]).toEqual([1, undefined, 2])
    expect(await service.approvals.list(ANN)).toHaveLength(1)
  })

  it.each([
    ['decided', async ({ decide }: Asking) => decide('deny'), { status: 'completed' }],
    [
      'expired',
      async ({ service }: Asking) => pass(service.clock, 3_000, 1_000),
      { status: 'failed', error: { code: 'approval_expired' } },
    ],
  ])('is settled by the tick when the message that it was %s is lost', async (_what, end, expected) => {
    const one = await asking([{ tool: 'git', ttlMs: 2_000 }], { continueTurn: async () => undefined })
    const { service, id } = one
    await end(one)
    expect(await service.tasks.get(id)).toMatchObject({ waitingFor: 'approval' })
    await pass(service.clock, 31 * MINUTE_MS, MINUTE_MS)
    expect(await service.tasks.get(id)).toMatchObject(expected)
  })

  it('counts what it waited when it is cancelled', async () => {
    const { service, id } = await asking([{ tool: 'git' }])
    await pass(service.clock, 5 * MINUTE_MS, MINUTE_MS)
    await service.tasks.cancel(ANN, id)
    expect(await service.tasks.get(id)).toMatchObject({ status: 'cancelled', waitingMs: 5 * MINUTE_MS })
    await until(async () => (await service.approvals.list(ANN)).length === 0)
  })

  it('waits for no decision that its run asks for after it was cancelled', async () => {
    const call = { tool: 'git', risk: 'write', title: 'git', mode: 'ask', arguments: {} } as const
    const asked = Promise.withResolvers<void>()
    const agent = createFakeAgent(async ({ id: taskId, createdBy: userId }, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      // By now the approvals that the task had when it was cancelled are withdrawn.
      await turns(60)
      await service.approvals.ask({ ...call, userId, taskId })
      asked.resolve()
      throw signal.reason
    })
    const service = await startDomains({ adapters: [agent] })
    const { id } = await service.create()
    await until(() => agent.runs.length > 0)
    await service.tasks.cancel(ANN, id)
    await asked.promise
    await until(async () => (await service.approvals.list(ANN)).length === 0)
    expect(await service.tasks.get(id)).toMatchObject({ status: 'cancelled' })
  })
})

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
      status: 'completed',
      attempts: 1,
      result: { output: 'went on from {"step":1}' },
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

describe('a run that lives on while it waits', () => {
  const call = { approvalId: 'apv_1', toolCallId: 'call_1', name: 'agent_edit' }

  it.each([
    ['fails', { retryable: false }, 'failed'],
    ['is tried again', {}, 'queued'],
  ])('and %s before its wait is noted leaves a task that waits for nothing', async (_how, fields, status) => {
    const agent = createFakeAgent(async (_task, { waitFor }) => {
      void waitFor(call, () => new Promise(() => undefined)).catch(() => undefined)
      await turns(10)
      throw Object.assign(new Error('gone'), { code: 'agent_exited', ...fields })
    })
    const service = await startDomains({
      adapters: [agent],
      // The wait is stored, and its answer comes late.
      wrapStore: (store) => ({
        ...store,
        commit: async (...change) => {
          const outcome = await store.commit(...change)
          if (JSON.stringify(change[0]).includes('"waitingFor":"approval"')) await turns(40)
          return outcome
        },
      }),
    })
    const { id } = await service.run()
    await until(async () => (await service.tasks.get(id)).status === status)
    const task = JSON.parse(JSON.stringify(await service.tasks.get(id)))
    const afterwards = status === 'queued' ? 'schedule' : undefined
    expect([task.waitingFor, task.waiting?.reason, task.error.code]).toEqual([
      afterwards,
      afterwards,
      'agent_exited',
    ])
  })

  it('has no time limit after its end', async () => {
    const end = Promise.withResolvers<never>()
    const decided = Promise.withResolvers<void>()
    const agent = createFakeAgent(async (_task, { waitFor }) => {
      void waitFor(call, () => decided.promise)
      return end.promise
    })
    const service = await startDomains({ adapters: [agent], background: false })
    const { id } = await service.run()
    await service.background.start()
    await until(async () => (await service.tasks.get(id)).waitingFor === 'approval')
    end.reject(Object.assign(new Error('gone'), { retryable: false }))
    await until(async () => (await service.tasks.get(id)).status === 'failed')
    await turns()
    const { pending } = service.clock
    decided.resolve()
    await turns()
    expect(service.clock.pending).toBe(pending)
  })
})
