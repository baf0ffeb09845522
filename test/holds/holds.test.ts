import { describe, expect, it } from '@jest/globals'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { createRelease } from '../../lib/holds/release.ts'
import { holdsRows } from '../../lib/holds/rows.ts'
import { createHolds } from '../../lib/holds/service.ts'
import type { AgentAdapter } from '../../lib/ports/agent.ts'
import type { TaskRow } from '../../lib/tasks/schema.ts'
import { createGate } from '../../lib/worker/gate.ts'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { startApi } from '../fakes/caller.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeIds } from '../fakes/ids.ts'
import { createFakeLog } from '../fakes/log.ts'
import { ANN, startDomains, turns, until } from '../fakes/service.ts'
import { storeOpeners } from '../fakes/stores.ts'

const noRunners = async () => ({ version: '', haveOneFor: () => false })
const HOUR = 3_600_000
const ADMIN = { userId: 'user_root', role: 'admin' } as const
const LIMIT = { reason: 'Anthropic has reached a usage limit: resets in an hour', retryAfterMs: HOUR }

type Execute = AgentAdapter['execute']
const done: Execute = async () => ({ success: true, output: 'done' })

/** A service whose agent works with Anthropic, and answers as `state.answers` says. */
const started = async (more: Parameters<typeof startDomains>[0] = {}) => {
  const state: { isLimited: boolean } = { isLimited: true }
  const agent = createFakeAgent(
    async () => {
      const { holds } = service.ports
      if (!state.isLimited) {
        holds.answered('anthropic')
        return { success: true, output: 'done' }
      }
      await holds.limited('anthropic', LIMIT)
      throw Object.assign(new Error(LIMIT.reason), {
        code: 'rate_limited',
        refused: true,
        retryAfterMs: HOUR,
      })
    },
    { providers: () => ['anthropic'] },
  )
  const other = createFakeAgent(done, { type: 'other-agent', providers: () => ['openai'] })
  const both = createFakeAgent(done, { type: 'both-agent', providers: () => ['anthropic', 'openai'] })
  const none = createFakeAgent(done, { type: 'free-agent' })
  const service = await startDomains({ adapters: [agent, other, both, none], ...more })
  const open = () => service.ports.holds.lastRead()
  const waiting = async () => (await service.holdVerbs.list()).map(({ waiting }) => waiting)
  return { service, agent, state, open, waiting }
}

describe('a provider whose usage limit is reached', () => {
  it('makes the refused task wait in the queue, with the reason and the end, and without a counted attempt', async () => {
    const { service } = await started()
    await using _ = service
    const task = await service.run()
    const until = new Date(service.clock.now() + HOUR).toISOString()
    expect(task).toMatchObject({
      status: 'queued',
      attempts: 0,
      waitingFor: 'hold',
      waiting: { reason: 'hold', provider: 'anthropic', until },
      nextAttemptAt: until,
      error: { code: 'rate_limited' },
    })
    expect(await service.holdVerbs.list()).toMatchObject([
      { provider: 'anthropic', reason: LIMIT.reason, until, waiting: 1 },
    ])
    const { tasks } = await service.tasks.list({ limit: 1, sort: 'createdAt', order: 'desc' } as never)
    expect(tasks[0]).toMatchObject({ waitingFor: 'hold', waiting: { until } })
  })

  it.each([
    ['needs it', {}, false],
    ['needs another provider', { assignedAgent: 'other-agent' }, true],
    ['has another provider too', { assignedAgent: 'both-agent' }, true],
    ['needs none', { assignedAgent: 'free-agent' }, true],
  ])('is held for a new task whose agent %s: it starts %s', async (_what, body, starts) => {
    const { service, agent } = await started()
    await using _ = service
    await service.run()
    const task = await service.run(body)
    await turns()
    expect((await service.tasks.get(task.id)).status).toBe(starts ? 'completed' : 'queued')
    expect(agent.runs).toHaveLength(1)
    if (!starts)
      expect((await service.tasks.events(task.id)).events.at(-1)).toMatchObject({
        type: 'progress',
        message: expect.stringContaining(LIMIT.reason),
        metadata: { code: 'waiting_for_hold' },
      })
  })

  it('is tried by one task after its reset, and by the others once that was answered', async () => {
    const { service, agent, state, open, waiting } = await started()
    await using _ = service
    const ids = []
    for (let n = 0; n < 4; n += 1) ids.push((await service.run()).id)
    expect(agent.runs).toHaveLength(1)
    expect(await waiting()).toEqual([4])
    await service.pass(HOUR - 2_000, 60_000)
    expect(agent.runs).toHaveLength(1)
    await service.pass(10_000, 500)
    // The probe was refused: it alone ran, and the hold has a new end that all tasks show.
    expect(agent.runs).toHaveLength(2)
    const [hold] = open()
    for (const id of ids) expect((await service.tasks.get(id)).waiting?.until).toBe(hold?.until)
    state.isLimited = false
    await service.pass(HOUR + 5_000, 30_000)
    await service.pass(5_000, 500)
    for (const id of ids)
      expect(await service.tasks.get(id)).toMatchObject({ status: 'completed', attempts: 1 })
    expect(agent.runs).toHaveLength(6)
    expect(open()).toEqual([])
  })

  it('lets a second task try it when the first ends without a call, and is open when that completed', async () => {
    const { service, agent, open } = await started()
    await using _ = service
    const [first, second] = [await service.run(), await service.run()]
    await service.pass(HOUR - 1_000, 60_000)
    await service.tasks.cancel(ANN, first.id)
    await service.pass(5_000, 500)
    expect(agent.runs.map(({ task }) => task.id)).toEqual([first.id, second.id])
    expect(open()).toHaveLength(1)
  })

  it('has no hold once its reset has passed and no task waits for it', async () => {
    const { service, open } = await started()
    await using _ = service
    const { id } = await service.run()
    await service.tasks.cancel(ANN, id)
    expect((await service.holdVerbs.list())[0]?.waiting).toBe(0)
    await service.pass(HOUR + 2_000, 60_000)
    await service.pass(3_000, 500)
    expect(open()).toEqual([])
  })

  it('counts no time of the wait as run time, but for a task that had begun', async () => {
    const { service, state } = await started()
    await using _ = service
    const [began, waited] = [await service.run(), await service.run()]
    state.isLimited = false
    await service.pass(HOUR + 5_000, 30_000)
    await service.pass(5_000, 500)
    expect((await service.tasks.get(began.id)).waitingMs).toBeGreaterThanOrEqual(HOUR)
    expect((await service.tasks.get(waited.id)).waitingMs).toBeUndefined()
  })

  it('holds its tasks after a restart too, and lets them go', async () => {
    const { service, state } = await started()
    const { id } = await service.run()
    await service.background.stop()
    const agent = createFakeAgent(done, { providers: () => ['anthropic'] })
    await using next = await startDomains({ adapters: [agent], after: service })
    await turns()
    expect(agent.runs).toHaveLength(0)
    const { id: fresh } = await next.run()
    expect(await next.tasks.get(fresh)).toMatchObject({ waitingFor: 'hold' })
    expect(agent.runs).toHaveLength(0)
    state.isLimited = false
    await next.pass(HOUR + 5_000, 30_000)
    await next.pass(5_000, 500)
    for (const task of [id, fresh]) expect(await next.tasks.get(task)).toMatchObject({ status: 'completed' })
  })

  it('is not held back from a run that is under way, or that continues after an approval', async () => {
    const holding = createFakeAgent(HOLD, { providers: () => ['anthropic'] })
    await using service = await startDomains({ adapters: [holding] })
    const { id } = await service.run()
    await service.ports.holds.limited('anthropic', LIMIT)
    holding.runs[0]?.finish({ waitingFor: 'approval', checkpoint: {}, message: 'Waiting' })
    await until(async () => (await service.tasks.get(id)).waitingFor === 'approval')
    await service.tasks.recovery.resume(id)
    await until(() => holding.runs.length === 2)
    holding.runs[1]?.finish()
    expect((await service.reaches(id, 'completed')).waiting).toBeUndefined()
  })

  it('starts a task whose repeated message comes after the end of the hold, and ends its wait', async () => {
    const agent = createFakeAgent(HOLD, { providers: () => ['anthropic'] })
    await using service = await startDomains({ adapters: [agent] })
    await service.ports.holds.limited('anthropic', LIMIT)
    const { id } = await service.run()
    expect(await service.tasks.get(id)).toMatchObject({ waitingFor: 'hold' })
    await service.background.stop()
    await service.ports.holds.remove(service.ports.holds.lastRead()[0]?.id ?? '')
    void service.worker.run({ taskId: id, attempt: 1 })
    await until(() => agent.runs.length === 1)
    const task = await service.tasks.get(id)
    expect([task.status, task.waitingFor, task.waiting]).toEqual(['in_progress', undefined, undefined])
    expect(await service.counters.waiting()).toEqual({ 'hold:anthropic': 0 })
    agent.runs[0]?.finish()
    await service.reaches(id, 'completed')
  })
})

describe('GET and DELETE /api/holds', () => {
  it('shows what waits, and starts it anyway for an admin, who is on record', async () => {
    const { service, agent, open } = await started()
    await using _ = service
    await service.run()
    const id = open()[0]?.id ?? ''
    await service.holdVerbs.remove(ADMIN, id)
    await service.pass(3_000, 500)
    // It is refused again, and a new hold begins.
    expect(agent.runs).toHaveLength(2)
    expect(open()[0]?.id).not.toBe(id)
    const { records } = await service.audit.list({ action: 'hold.remove', limit: 1 } as never)
    expect(records).toMatchObject([{ userId: ADMIN.userId, details: { id, provider: 'anthropic' } }])
    await expect(service.holdVerbs.remove(ADMIN, id)).rejects.toMatchObject({ code: 'hold_not_found' })
  })

  it.each([
    ['a user lists', 'GET /api/holds', ANN, 200],
    ['an admin names no hold', 'DELETE /api/holds/hold_1', ADMIN, 404],
    ['an admin names something else', 'DELETE /api/holds/task_1', ADMIN, 404],
  ])('when %s: %s', async (_what, request, as, status) => {
    await using api = await startApi()
    expect(await api.call(request, { as })).toMatchObject({ status })
  })
})

describe.each(storeOpeners([holdsRows]))('holds of many processes on %s', (_, open) => {
  const opened = async () => {
    const clock = createFakeClock()
    const { store, close } = await open(clock)
    const needs = { clock, entropy, ids: createFakeIds(clock), log: createFakeLog(), store }
    const make = () => createHolds({ ...needs, processes: 'many' })
    return { clock, make, [Symbol.asyncDispose]: async () => void (await close()) }
  }

  it('are seen by all, and one task alone becomes the probe', async () => {
    await using processes = await opened()
    const { clock, make } = processes
    const [one, two] = [make(), make()]
    await Promise.all([one.limited('anthropic', LIMIT), two.limited('anthropic', LIMIT)])
    expect((await two.load()).holds).toHaveLength(1)
    clock.advance(HOUR)
    const held = await Promise.all([
      one.holdingBack(['anthropic'], 'task_1'),
      two.holdingBack(['anthropic'], 'task_2'),
      one.holdingBack(['anthropic'], 'task_3'),
    ])
    expect(held.filter((hold) => hold === undefined)).toHaveLength(1)
    expect(await one.holdingBack(['anthropic'], 'task_5')).toMatchObject({ provider: 'anthropic' })
    two.answered('anthropic')
    await until(async () => (await two.load()).holds.length === 0)
    clock.advance(2_000)
    expect(await one.holdingBack(['anthropic'], 'task_4')).toBeUndefined()
    expect((await one.load()).holds).toEqual([])
  })

  it('are tried by no task that has to wait for its budget', async () => {
    await using processes = await opened()
    const { clock, make } = processes
    const holds = make()
    await holds.limited('anthropic', LIMIT)
    clock.advance(HOUR)
    const wait = { reason: 'budget', until: '2026-02-01T00:00:00.000Z', message: 'Ann has spent it' } as const
    const budgets = {
      isSet: () => true,
      version: () => '',
      holdingBack: async ({ createdBy }: { createdBy: string }) =>
        createdBy === 'user_ann' ? wait : undefined,
    }
    const rows = ['user_ann', 'user_bob'].map((createdBy) => ({
      id: `task_${createdBy}`,
      createdBy,
      agent: 'claude-code',
      waiting: { reason: 'hold', provider: 'anthropic' },
    })) as TaskRow[]
    const [ann, bob] = rows as [TaskRow, TaskRow]
    const gate = createGate({
      holds,
      budgets,
      read: async () => undefined,
      agent: async () => createFakeAgent(done, { providers: () => ['anthropic'] }),
    })
    const released: unknown[] = []
    await createRelease({
      holds,
      budgets,
      runners: noRunners,
      clock,
      status: async () => 'queued',
      waiting: async () => ({ 'hold:anthropic': 2 }),
      letGo: async (heldUntil) => {
        released.push(await heldUntil(ann))
        return 0
      },
    })()
    expect(released).toEqual([undefined])
    expect(await gate.reasonToWait(ann)).toEqual(wait)
    expect(holds.lastRead()).not.toMatchObject([{ probe: {} }])
    expect(await gate.reasonToWait(bob)).toBeUndefined()
    expect(holds.lastRead()).toMatchObject([{ probe: { taskId: bob.id } }])
  })

  it('keep the later of two ends, and are not ended by an answer before their reset', async () => {
    await using processes = await opened()
    const { make } = processes
    const holds = make()
    await holds.limited('openai', LIMIT)
    const { version } = await holds.load()
    await holds.limited('openai', { ...LIMIT, retryAfterMs: HOUR / 2 })
    expect((await holds.load()).version).toBe(version)
    await holds.limited('openai', { ...LIMIT, retryAfterMs: 2 * HOUR })
    holds.answered('openai')
    expect((await holds.load()).holds).toHaveLength(1)
  })

  it('are released by a process that has not seen them begin', async () => {
    await using processes = await opened()
    const { make, clock } = processes
    await make().limited('openai', LIMIT)
    let asked = 0
    const release = createRelease({
      holds: make(),
      budgets: { holdingBack: async () => undefined, version: () => '' },
      runners: noRunners,
      clock,
      waiting: async () => ({ 'hold:openai': 1 }),
      status: async () => 'queued',
      letGo: async () => {
        asked += 1
        return 0
      },
    })
    await release()
    await release()
    expect(asked).toBe(1)
    clock.advance(HOUR)
    await release()
    expect(asked).toBe(2)
  })
})
