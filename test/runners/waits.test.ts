import { describe, expect, it } from '@jest/globals'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { createCaller } from '../fakes/caller.ts'
import { ANN, BOB, type StartedDomains, startDomains, turns } from '../fakes/service.ts'

const MINUTE_MS = 60_000
const ROOT = { userId: 'user_root', role: 'admin' } as const

/** The principal of runners with the token that all share. */
const RUNNERS = { userId: 'installation', role: 'admin', tokenId: 'tok_shared' } as const

const register = (
  { runners }: Pick<StartedDomains, 'runners'>,
  facts: { name: string; labels: string[]; agents: { type: string }[] },
) =>
  runners.registry.register(RUNNERS, {
    ...{ version: '1', protocol: 1, concurrency: 1, isolation: 'none' },
    ...facts,
  })

/** A service that runs one task at a time, until the test ends it. */
const started = async () => {
  const agent = createFakeAgent(HOLD)
  const service = await startDomains({
    adapters: [agent],
    env: { QUEUE_CONCURRENCY: '1', POOL_TIMEOUT_MS: '3600000' },
  })
  const call = createCaller(service)
  const waiting = async (id: string) => (await call(`GET /api/tasks/${id}`)).body.task.waiting
  const told = async (as: typeof ANN | typeof BOB | typeof ROOT) =>
    (await service.notifications.list(as, { limit: 50 })).notifications.map(({ type, title, message }) => [
      type,
      title,
      message,
    ])
  return { service, agent, call, waiting, told }
}

describe('a task that has not started', () => {
  it('says why and at which place it waits, wherever it is read, and nothing of it is stored', async () => {
    const { service, agent, call } = await started()
    await using _ = service
    const { id: running } = await service.create()
    await turns()
    const { id: low } = await service.create({ priority: 4 })
    const { id: first } = await service.create({ priority: 1 })
    const { id: ofBob } = await service.create({ priority: 4 }, BOB)
    const { id: labelled } = await service.create({ runsOn: ['gpu', 'linux'], priority: 1 })
    await turns()
    const slot = (position: number) => ({
      waitingFor: 'slot',
      waiting: { reason: 'slot', since: expect.any(String), position },
    })
    const message = 'no runner has gpu and linux'
    const expected = {
      [running]: { status: 'in_progress' },
      [first]: slot(1),
      [low]: slot(2),
      [ofBob]: slot(3),
      [labelled]: {
        waitingFor: 'runner',
        waiting: { reason: 'runner', since: expect.any(String), message },
      },
    }
    for (const path of ['?limit=9', '/filter?limit=9', '?full=true', '?fields=status,waiting,waitingFor']) {
      const { tasks } = (await call(`GET /api/tasks${path}`)).body
      expect(tasks).toHaveLength(5)
      for (const task of tasks) expect([path, task]).toMatchObject([path, expected[task.id] ?? {}])
    }
    for (const [id, wait] of Object.entries(expected))
      expect((await call(`GET /api/tasks/${id}`)).body.task).toMatchObject(wait)
    expect((await call(`GET /api/tasks/${running}`)).body.task).not.toHaveProperty('waitingFor')
    expect((await call('GET /api/tasks?fields=title')).body.tasks[0]).not.toHaveProperty('waiting')
    const { tasks } = JSON.parse((await Array.fromAsync(service.tasks.exportAll(ANN))).join(''))
    for (const task of tasks) expect(task).not.toHaveProperty('waitingFor')
    agent.runs[0]?.finish()
    await turns()
    expect((await call(`GET /api/tasks/${first}`)).body.task).not.toHaveProperty('waitingFor')
  })

  it('waits for the time of its next attempt', async () => {
    const { service, agent, waiting } = await started()
    await using _ = service
    const { id } = await service.create()
    await turns()
    agent.runs[0]?.fail(new Error('no'))
    await turns()
    const { nextAttemptAt: until } = await service.tasks.get(id)
    expect(await waiting(id)).toMatchObject({ reason: 'schedule', until })
  })

  it('that asks for labels is not in the way of others, of any priority', async () => {
    const { service, agent } = await started()
    await using _ = service
    for (let n = 0; n < 200; n += 1) await service.create({ runsOn: ['gpu'], priority: 1 })
    const { id } = await service.create({ priority: 4 })
    await turns()
    expect(agent.runs.map(({ task }) => task.id)).toEqual([id])
  })
})

describe('a task that no runner can take', () => {
  it('tells its user and the admins after ten minutes, once, also after a restart', async () => {
    const { service, agent, told } = await started()
    await using _ = service
    const { id, queuedAt } = await service.create({ title: 'Train', runsOn: ['gpu'] })
    await service.pass(9 * MINUTE_MS, MINUTE_MS)
    expect(await told(ANN)).toEqual([])
    await service.pass(20 * MINUTE_MS, MINUTE_MS)
    const notices = [
      [
        'runner_missing',
        'No runner for: Train',
        `The task has been waiting since ${queuedAt}: no runner has gpu`,
      ],
    ]
    for (const user of [ANN, ROOT]) expect(await told(user)).toEqual(notices)
    expect(await told(BOB)).toEqual([])
    const next = await startDomains({ adapters: [agent], after: service })
    await next.pass(20 * MINUTE_MS, MINUTE_MS)
    expect(await told(ANN)).toEqual(notices)
    expect(await next.tasks.get(id)).not.toHaveProperty('noRunner')
  })

  it('waits also where a queue hands it to a worker of the service, and tells its user', async () => {
    const { service, agent, told, waiting } = await started()
    await using _ = service
    const { id } = await service.create({ runsOn: ['gpu', 'linux'] })
    const message = { taskId: id, attempt: 1, fence: 0, runsOn: ['gpu', 'linux'] }
    await service.worker.run(message)
    await service.worker.run(message)
    expect(await waiting(id)).toMatchObject({
      reason: 'runner',
      message: 'waits for a runner with gpu, linux',
    })
    await service.pass(20 * MINUTE_MS, MINUTE_MS)
    expect(await service.tasks.get(id)).toMatchObject({ status: 'queued', attempts: 0, waitingFor: 'runner' })
    expect([agent.runs, (await told(ANN)).length]).toEqual([[], 1])
  })

  it('goes on once a runner with all labels and its agent takes tasks, and no earlier', async () => {
    const { service, agent, waiting } = await started()
    await using _ = service
    const { id } = await service.create({ runsOn: ['gpu', 'linux'] })
    await service.worker.run({ taskId: id, attempt: 1, fence: 0, runsOn: ['gpu', 'linux'] })
    const registered = async (name: string, labels: string[], agents = [{ type: agent.type }]) => {
      const runner = await register(service, { name, labels, agents })
      await service.pass(3_000, 500)
      return runner
    }
    await registered('without gpu', ['linux'])
    await registered('without the agent', ['gpu', 'linux'], [])
    expect(await waiting(id)).toMatchObject({ message: 'waits for a runner with gpu, linux' })
    const { runner } = await registered('fits', ['gpu', 'linux'])
    expect(await waiting(id)).not.toMatchObject({ reason: 'runner' })
    const body = { most: 1, waitMs: 1_000, takes: true, running: [] }
    const polled = await service.runners.claims.poll(RUNNERS, runner.id, body, new AbortController().signal)
    expect(polled).toMatchObject({ claim: { task: { id }, attempt: 1 } })
  })

  it('tells nothing where it ends before, or waits for something else', async () => {
    const { service, told } = await started()
    await using _ = service
    const { id } = await service.create({ runsOn: ['gpu'] })
    await service.create()
    await service.create()
    await service.pass(5 * MINUTE_MS, MINUTE_MS)
    await service.tasks.cancel(ANN, id)
    await service.pass(20 * MINUTE_MS, MINUTE_MS)
    expect(await told(ROOT)).toEqual([])
  })
})
