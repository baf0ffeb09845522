import { describe, expect, it } from '@jest/globals'
import { createCompletionWaiters } from '../../lib/gateway/completion-waiters.ts'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { pass, turns } from '../fakes/service.ts'
import { startGateway } from './gateway.ts'

const task = { title: 'T' }
const synchronous = { synchronous: true }

/** Whether a promise has come to its end by now. */
const watched = <T>(promise: Promise<T>) => {
  const state: { value?: T } = {}
  void promise.then((value) => {
    state.value = value
  })
  return state
}

describe('a synchronous request', () => {
  it('answers 200 with the result once the task is completed', async () => {
    const agent = createFakeAgent(HOLD)
    await using gateway = await startGateway({ adapters: [agent] })
    const answer = watched(gateway.submit({ task, options: synchronous }))
    await turns()
    expect(answer.value).toBeUndefined()
    agent.runs[0]?.finish({ success: true, output: 'done', files: 2 })
    await turns()
    expect(answer.value).toMatchObject({ status: 200 })
    const { requestId, taskId } = answer.value?.body ?? {}
    expect(answer.value?.body).toEqual({
      requestId,
      taskId,
      status: 'completed',
      result: { success: true, output: 'done', files: 2 },
    })
  })

  it('answers 200 with the error when the task failed for good', async () => {
    const agent = createFakeAgent(async () => ({ success: false, output: 'no' }))
    await using gateway = await startGateway({ adapters: [agent], env: { QUEUE_RETRY_ATTEMPTS: '1' } })
    const { status, body } = await gateway.submit({ task, options: synchronous })
    expect(status).toBe(200)
    expect(body).toEqual({
      requestId: body.requestId,
      taskId: body.taskId,
      status: 'failed',
      error: { code: 'agent_failed', message: 'no' },
    })
  })

  it('answers 200 when the task is cancelled', async () => {
    const agent = createFakeAgent(HOLD)
    await using gateway = await startGateway({ adapters: [agent] })
    const answer = watched(gateway.submit({ task, options: synchronous }))
    await turns()
    const taskId = agent.runs[0]?.task.id ?? ''
    await gateway.tasks.cancel({ userId: 'user_bob', role: 'user' }, taskId)
    await turns()
    expect(answer.value?.status).toBe(200)
    expect(answer.value?.body).toEqual({
      requestId: `gw_${taskId.slice(5)}`,
      taskId,
      status: 'cancelled',
    })
  })

  it('waits through the retries of its task', async () => {
    let runs = 0
    const agent = createFakeAgent(async () => ({ success: ++runs === 3, output: `${runs}` }))
    await using gateway = await startGateway({ adapters: [agent] })
    const answer = watched(gateway.submit({ task, options: synchronous }))
    await gateway.pass(10_000)
    expect(answer.value?.body).toMatchObject({ status: 'completed', result: { output: '3' } })
  })

  it('answers 202 with the state of the task when its time is up first, and the task goes on', async () => {
    const agent = createFakeAgent(HOLD)
    await using gateway = await startGateway({ adapters: [agent] })
    const answer = watched(gateway.submit({ task, options: { ...synchronous, timeout: 5_000 } }))
    await turns()
    gateway.clock.advance(4_999)
    await turns()
    expect(answer.value).toBeUndefined()
    gateway.clock.advance(1)
    await turns()
    const { requestId, taskId } = answer.value?.body ?? {}
    expect(answer.value?.status).toBe(202)
    expect(answer.value?.body).toEqual({
      requestId,
      taskId,
      status: 'in_progress',
      statusUrl: `/api/gateway/${requestId}/status`,
    })
    agent.runs[0]?.finish()
    await turns()
    expect(await gateway.status(requestId)).toMatchObject({ status: 'completed' })
  })

  it.each([
    [840_000, 20_000],
    [1_000, 1_000],
  ])(
    'that asks for %d ms behind a proxy that waits for 20 s is answered after %d',
    async (timeout, waited) => {
      await using gateway = await startGateway({ adapters: [createFakeAgent(HOLD)], longestWaitMs: 20_000 })
      const answer = watched(gateway.submit({ task, options: { ...synchronous, timeout } }))
      await turns()
      gateway.clock.advance(waited - 1)
      await turns()
      expect(answer.value).toBeUndefined()
      gateway.clock.advance(1)
      await turns()
      expect(answer.value).toMatchObject({ status: 202, body: { status: 'in_progress' } })
    },
  )

  it('has its answer at once when the service ends', async () => {
    await using gateway = await startGateway({ adapters: [createFakeAgent(HOLD)] })
    const answer = watched(gateway.submit({ task, options: synchronous }))
    await turns()
    void gateway.background.stop()
    await turns()
    expect(answer.value).toMatchObject({ status: 202, body: { status: 'in_progress' } })
    await gateway.pass(10_000)
  })
})

describe('to wait for the end of a task', () => {
  const opened = () => {
    const clock = createFakeClock()
    const state: { isOver: boolean | undefined; asked: number } = { isOver: false, asked: 0 }
    const isOver = async () => {
      state.asked += 1
      return state.isOver
    }
    return { clock, state, waiters: createCompletionWaiters({ isOver, clock }) }
  }

  it('asks storage less and less often, and never again once it is over', async () => {
    const { clock, state, waiters } = opened()
    const wait = watched(waiters.wait('task_1', 300_000).then(() => 'over'))
    await pass(clock, 60_000, 50)
    expect(state.asked).toBeGreaterThan(10)
    expect(state.asked).toBeLessThan(25)
    state.isOver = true
    await pass(clock, 5_000, 50)
    expect(wait.value).toBe('over')
    const { asked } = state
    await pass(clock, 300_000, 1_000)
    expect([state.asked, waiters.waiting, clock.pending]).toEqual([asked, 0, 0])
  })

  it('resumes at an end in this process without a poll', async () => {
    const { clock, state, waiters } = opened()
    const waits = [1, 2].map(() => watched(waiters.wait('task_1', 60_000).then(() => 'over')))
    const other = watched(waiters.wait('task_2', 60_000).then(() => 'over'))
    await turns()
    const { asked } = state
    waiters.complete('task_1')
    await turns()
    expect(waits.map(({ value }) => value)).toEqual(['over', 'over'])
    expect([other.value, state.asked]).toEqual([undefined, asked])
    waiters.complete('task_2')
    expect([waiters.waiting, clock.pending]).toEqual([0, 0])
  })

  it('stops when the caller hangs up, before or while it waits', async () => {
    const { clock, waiters } = opened()
    await waiters.wait('task_1', 60_000, AbortSignal.abort())
    const controller = new AbortController()
    const wait = watched(waiters.wait('task_1', 60_000, controller.signal).then(() => 'over'))
    await turns()
    controller.abort()
    await turns()
    expect([wait.value, waiters.waiting, clock.pending]).toEqual(['over', 0, 0])
  })

  it('goes on while storage cannot be asked', async () => {
    const clock = createFakeClock()
    let broken = true
    const isOver = async () => {
      if (broken) throw new Error('storage is away')
      return true
    }
    const wait = watched(
      createCompletionWaiters({ isOver, clock })
        .wait('task_1', 60_000)
        .then(() => 'over'),
    )
    await pass(clock, 10_000, 50)
    expect(wait.value).toBeUndefined()
    broken = false
    await pass(clock, 5_000, 50)
    expect(wait.value).toBe('over')
  })
})
