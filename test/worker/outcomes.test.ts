import { readFileSync } from 'node:fs'
import { describe, expect, it } from '@jest/globals'
import type { AgentAdapter } from '../../lib/ports/agent.ts'
import { tasks } from '../../lib/tasks/rows.ts'
import { createFakeAgent, HOLD } from '../fakes/agent.ts'
import { ANN, startDomains, turns } from '../fakes/service.ts'

type Given = { agentMs?: number; taskMs?: number; functionMs?: number }
const OF_TASK = /the limit of this task\. Create it with a higher time limit \(at most 24 hours\)/
const OF_FUNCTION = /within 14 minutes, the maximum for functions in mode pro\. .* npm start/

const ONE_ATTEMPT = { QUEUE_RETRY_ATTEMPTS: '1' }

/** What becomes of a task whose agent does this, with `QUEUE_RETRY_ATTEMPTS` attempts. */
const outcome = async (execute: () => unknown, attempts = 1) => {
  const agent = createFakeAgent(async () => (await execute()) as never)
  const service = await startDomains({
    adapters: [agent],
    env: { QUEUE_RETRY_ATTEMPTS: String(attempts) },
  })
  const task = await service.run()
  return { task, service, agent }
}

describe('the outcome of a run', () => {
  it('is completed with the whole result when the agent succeeds', async () => {
    const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 }
    const { task, service } = await outcome(() => ({ success: true, output: 'hello', files: ['a'], usage }))

    expect(task).toMatchObject({
      status: 'completed',
      attempts: 1,
      result: { success: true, output: 'hello', files: ['a'] },
      usage,
      startedAt: '2026-01-01T12:00:00.000Z',
      completedAt: '2026-01-01T12:00:00.000Z',
    })
    expect(await service.eventTypes(task.id)).toEqual(['created', 'queued', 'started', 'completed'])
  })

  it('keeps usage only in the shape that the API promises', async () => {
    const { task } = await outcome(() => ({ success: true, output: 'hello', usage: 'a lot' }))

    expect(task.status).toBe('completed')
    expect(task.usage).toBeUndefined()
  })

  it.each<[name: string, execute: () => unknown, error: object]>([
    [
      'reports a failure',
      () => ({ success: false, output: 'no luck' }),
      { code: 'agent_failed', message: 'no luck' },
    ],
    [
      'reports a failure without a word',
      () => ({ success: false, output: '' }),
      { code: 'agent_failed', message: 'The agent reported a failure' },
    ],
    ['throws', () => Promise.reject(new Error('broken')), { code: 'agent_error', message: 'broken' }],
    [
      'throws with a code',
      () => Promise.reject(Object.assign(new Error('who?'), { code: 'repository_missing' })),
      { code: 'repository_missing', message: 'who?' },
    ],
    [
      'throws with a code that is no word of ours',
      () => Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNRESET' })),
      { code: 'agent_error', message: 'gone' },
    ],
    ['throws a string', () => Promise.reject('ouch'), { code: 'agent_error', message: 'ouch' }],
    [
      'throws an error of the system',
      () => readFileSync('/data of mine/none'),
      { code: 'agent_error', message: expect.stringMatching(/ENOENT: no such file or directory, open …$/) },
    ],
    [
      'throws an error of Node',
      () => Promise.reject(new TypeError('Cannot find module /srv/me/a.js from file:///srv/me/b.js')),
      { code: 'agent_error', message: 'Cannot find module … from …' },
    ],
    [
      'throws a path with a code',
      () => Promise.reject(Object.assign(new Error('/srv/me'), { code: 'repository_missing' })),
      { code: 'repository_missing', message: '/srv/me' },
    ],
    ['throws what has no text', () => Promise.reject(Object.create(null)), { code: 'agent_error' }],
    [
      'throws an error whose message is no text',
      () => Promise.reject(Object.assign(new Error('x'), { message: { a: 1 } })),
      { code: 'agent_error', message: expect.any(String) },
    ],
    ['throws nothing at all', () => Promise.reject(undefined), { code: 'agent_error', message: 'undefined' }],
    ['returns nothing', () => undefined, { code: 'bad_result' }],
    ['returns a function', () => () => undefined, { code: 'bad_result' }],
    [
      'returns a number too large for JSON',
      () => ({ success: true, output: '', n: 1n }),
      { code: 'bad_result' },
    ],
    ['returns without success', () => ({ output: 'x' }), { code: 'bad_result' }],
    ['returns without output', () => ({ success: true }), { code: 'bad_result' }],
    [
      'returns more than 2,000,000 bytes',
      () => ({ success: true, output: '日'.repeat(7e5) }),
      { code: 'result_too_large' },
    ],
  ])('is failed when the agent %s', async (_name, execute, error) => {
    const { task, service } = await outcome(execute)

    expect(task).toMatchObject({ status: 'failed', attempts: 1, error })
    expect(task.result?.success).not.toBe(true)
    expect((await service.deadLetters.countAll()).pending).toBe(1)
  })

  it('is failed when the agent returns what refers to itself', async () => {
    const loop: Record<string, unknown> = { success: true, output: '' }
    loop.self = loop

    expect((await outcome(() => loop)).task.error?.code).toBe('bad_result')
  })

  it('is failed when the agent throws before it returns a promise', async () => {
    const agent = createFakeAgent()
    const service = await startDomains({
      adapters: [
        {
          ...agent,
          execute: () => {
            throw new Error('at once')
          },
        },
      ],
      env: ONE_ATTEMPT,
    })

    expect(await service.run()).toMatchObject({ status: 'failed', error: { message: 'at once' } })
  })

  it('drops a __proto__ key of a result', async () => {
    const { task } = await outcome(() =>
      JSON.parse('{"success":true,"output":"","__proto__":{"admin":true}}'),
    )

    expect(task.status).toBe('completed')
    expect((task.result as Record<string, unknown>).admin).toBeUndefined()
  })

  it('leaves the remaining attempts alone when the error says retryable: false', async () => {
    const { task, agent } = await outcome(
      () => Promise.reject(Object.assign(new Error('never'), { retryable: false })),
      3,
    )

    expect(task).toMatchObject({ status: 'failed', attempts: 1 })
    expect(agent.runs).toHaveLength(1)
  })

  it('is agent_unavailable, at once, for a task whose adapter is gone', async () => {
    const first = await startDomains({
      adapters: [createFakeAgent(HOLD, { type: 'old-agent' })],
      background: false,
    })
    const { id } = await first.create()

    const second = await startDomains({ after: first })
    const task = await second.reaches(id, 'failed')

    expect(task).toMatchObject({ attempts: 1, error: { code: 'agent_unavailable' } })
    expect((await second.deadLetters.countAll()).pending).toBe(1)
  })

  it('shows the agent every public field of the task, and nothing else', async () => {
    const agent = createFakeAgent()
    const service = await startDomains({ adapters: [agent] })
    const body = {
      description: 'd',
      prompt: 'p',
      labels: ['l'],
      metadata: { m: 1 },
      repository: 'o/r',
      branch: 'b',
    }
    await service.run(body)

    expect(agent.runs[0]?.task).toMatchObject(body)
    expect(agent.runs[0]?.task).not.toHaveProperty('fence')
    expect(agent.runs[0]?.task).not.toHaveProperty('leaseExpiresAt')
  })
})

describe('a run that takes too long', () => {
  const MINUTE_MS = 60_000
  const untilStopped: AgentAdapter['execute'] = (_task, { signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

  it.each<[limit: string, given: Given, minutes: number, message: RegExp]>([
    ['POOL_TIMEOUT_MS', {}, 5, /within 5 minutes, the limit of the service \(POOL_TIMEOUT_MS\)\. Raise it/],
    [
      'its agent',
      { agentMs: 60 * MINUTE_MS },
      60,
      /within 1 hour, the limit of its agent\. .* its own time limit/,
    ],
    [
      'the task, longer than that of its agent',
      { agentMs: MINUTE_MS, taskMs: 120 * MINUTE_MS },
      120,
      OF_TASK,
    ],
    ['the task, shorter than that of its agent', { agentMs: 60 * MINUTE_MS, taskMs: MINUTE_MS }, 1, OF_TASK],
    ['the task, up to a day', { taskMs: 1_440 * MINUTE_MS }, 1_440, OF_TASK],
    ['a function', { functionMs: 14 * MINUTE_MS, agentMs: 60 * MINUTE_MS }, 14, OF_FUNCTION],
    [
      'a function, where the task asks for more',
      { functionMs: 14 * MINUTE_MS, taskMs: 86_400_000 },
      14,
      OF_FUNCTION,
    ],
  ])(
    'is told to stop at the limit of %s, and fails with its attempt counted',
    async (_limit, given, minutes, message) => {
      const { agentMs: timeoutMs, taskMs, functionMs: longestAttemptMs } = given
      const agent = createFakeAgent(untilStopped, { ...(timeoutMs && { timeoutMs }) })
      const env = { POOL_TIMEOUT_MS: String(5 * MINUTE_MS), TASK_LEASE_MS: String(30 * MINUTE_MS) }
      await using service = await startDomains({
        adapters: [agent],
        env,
        ...(longestAttemptMs && { longestAttemptMs }),
      })
      const { id } = await service.run(taskMs === undefined ? {} : { timeoutMs: taskMs })

      await service.pass(minutes * MINUTE_MS - 1_000)
      expect(agent.runs[0]?.signal.aborted).toBe(false)
      // The lease is shorter than an hour: renewals keep it as long as the run goes on.
      const { leaseExpiresAt } = (await service.store.get(tasks, id)) ?? {}
      expect(leaseExpiresAt).toBeGreaterThan(service.clock.now())
      await service.pass(1_000)

      expect(agent.runs[0]?.signal.reason).toMatchObject({ name: 'RunStopped', code: 'timeout' })
      expect(await service.tasks.get(id)).toMatchObject({
        status: 'failed',
        attempts: 1,
        error: { code: 'timeout', message: expect.stringMatching(message) },
      })
    },
  )

  it.each<[string, unknown, object | undefined]>([
    [
      'says what it changed',
      Object.assign(new Error('stopped'), { result: { output: 'Half', diff: '+' } }),
      { output: 'Half', diff: '+' },
    ],
    ['says nothing', new Error('stopped'), undefined],
  ])('has five seconds in which its agent %s', async (_what, thrown, result) => {
    const agent = createFakeAgent(HOLD)
    const env = { POOL_TIMEOUT_MS: '60000', ...ONE_ATTEMPT }
    const service = await startDomains({ adapters: [agent], env })
    const { id } = await service.run()
    await service.pass(64_000)
    agent.runs[0]?.fail(thrown)
    await turns()
    const task = await service.tasks.get(id)
    expect(task).toMatchObject({ status: 'failed', error: { code: 'timeout' } })
    expect(task.result).toEqual(result && { success: false, ...result })
  })

  it('loses its slot five seconds later when it ignores the signal, and its result is not heard', async () => {
    const agent = createFakeAgent(HOLD)
    const service = await startDomains({
      adapters: [agent],
      env: { POOL_TIMEOUT_MS: '60000', QUEUE_RETRY_ATTEMPTS: '1', POOL_MAX_CONCURRENT: '1' },
    })
    const { id } = await service.run()
    const next = await service.create({ title: 'Next' })

    await service.pass(66_000)
    expect(agent.runs.map(({ task }) => task.id)).toEqual([id, next.id])
    agent.runs[0]?.finish()
    await turns()

    expect((await service.tasks.get(id)).status).toBe('failed')
  })
})

describe('what a failed run leaves', () => {
  const work = { output: 'Half done', diff: '+one', filesChanged: [{ path: 'a.txt' }] }
  const thrown = (left: object, code = 'agent_exited') =>
    Object.assign(new Error('gone'), { code, retryable: false, ...left })

  it.each<[string, () => unknown, string, object | undefined]>([
    ['the result of a thrown error', () => Promise.reject(thrown({ result: work })), 'agent_exited', work],
    [
      'no success that an error claims',
      () => Promise.reject(thrown({ result: { ...work, success: true } }, 'cost_limit_reached')),
      'cost_limit_reached',
      work,
    ],
    [
      'a result without success, but not what it says of another attempt',
      () => ({ success: false, retryable: false, retryAfterMs: 5, refused: false, ...work }),
      'agent_failed',
      work,
    ],
    [
      'nothing of what is no result',
      () => Promise.reject(thrown({ result: { diff: '+' } })),
      'agent_exited',
      undefined,
    ],
    [
      'nothing of what is no JSON',
      () => Promise.reject(thrown({ result: { ...work, n: 1n } })),
      'agent_exited',
      undefined,
    ],
    [
      'nothing of what is too large',
      () => Promise.reject(thrown({ result: { output: 'x'.repeat(2_000_001) } })),
      'agent_exited',
      undefined,
    ],
  ])('is beside its error: %s', async (_what, execute, code, result) => {
    const { task } = await outcome(execute)
    expect(task).toMatchObject({ status: 'failed', error: { code } })
    expect(task.result).toEqual(result && { success: false, ...result })
  })

  it('counts with its cost and usage, and not the secrets in it', async () => {
    const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 }
    const cost = { usd: 2, source: 'provider' }
    const agent = createFakeAgent(async (_task, { keepSecret }) => {
      keepSecret('s3cret-of-a-run')
      throw thrown({ result: { ...work, diff: '+s3cret-of-a-run', usage, cost } })
    })
    const service = await startDomains({ adapters: [agent] })
    const { id } = await service.run()
    expect(await service.tasks.get(id)).toMatchObject({
      status: 'failed',
      usage,
      cost,
      result: { diff: '+[masked]' },
    })
  })

  it('stays while later attempts leave nothing, is there for a reply, and goes when the task is queued anew', async () => {
    const agent = createFakeAgent(HOLD)
    const service = await startDomains({ adapters: [agent], env: { QUEUE_RETRY_ATTEMPTS: '2' } })
    const { id } = await service.run()
    const left = { result: work, continuation: { at: 1 }, retryable: true }
    agent.runs[0]?.fail(thrown(left))
    await turns()
    const result = { success: false, ...work }
    expect(await service.tasks.get(id)).toMatchObject({ status: 'queued', result })
    await service.pass(60_000)
    agent.runs[1]?.fail(thrown({ retryable: true }))
    await turns()
    expect(await service.tasks.get(id)).toMatchObject({ status: 'failed', result })
    const [letter] = (await service.deadLetters.list({ status: 'pending', limit: 1 })).items

    await service.deadLetters.retry(ANN, letter?.id ?? '')
    await turns()
    expect(await service.tasks.get(id)).not.toHaveProperty('result')
    agent.runs[2]?.fail(thrown({}))
    await turns()
    await service.tasks.replies.reply(ANN, id, { body: { content: 'Go on' } })
    await turns()
    expect(agent.runs[3]).toMatchObject({ task: { parentId: id }, earlier: { continuation: { at: 1 } } })
  })

  it.each<[how: string, fails: boolean]>([
    ['succeeds', false],
    ['fails', true],
  ])('of a run that %s without what is too large to be kept for a reply says so', async (_how, fails) => {
    const continuation = { text: 'x'.repeat(16_000_000) }
    const agent = createFakeAgent(async () => ({ success: !fails, output: 'Done', continuation }))
    const service = await startDomains({ adapters: [agent], env: { QUEUE_RETRY_ATTEMPTS: '1' } })
    const { id } = await service.run()
    const sessionWarning = 'The session of the agent was too large to store. A reply starts a new one'
    expect(await service.tasks.get(id)).toMatchObject({
      status: fails ? 'failed' : 'completed',
      result: { output: 'Done', sessionWarning },
    })
    const { events } = await service.tasks.events(id)
    expect(events.filter(({ type }) => type === 'progress')).toMatchObject([{ message: sessionWarning }])
  })
})
