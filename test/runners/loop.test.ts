import { afterEach, describe, expect, it } from '@jest/globals'
import { ApiError } from '../../lib/api/api-error.ts'
import type { ClaimLink } from '../../lib/app/runner/claim-link.ts'
import { isFinal } from '../../lib/app/runner/connection.ts'
import { createRunnerLoop } from '../../lib/app/runner/loop.ts'
import { errorMessage } from '../../lib/core/errors.ts'
import { defaultPolicy } from '../../lib/security/schema.ts'
import { createActiveRuns } from '../../lib/worker/active.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeLog } from '../fakes/log.ts'
import { until } from '../journeys/api.ts'

type Body = { number: number; takes: boolean; running: { taskId: string; fence: number }[] }
type Polled = {
  body: Body
  answer: (given: object | undefined) => void
  respond: (response: Response) => void
  refuse: (status: number, code?: string) => void
}

const claim = (taskId: string, fence: number, more: object = {}) => ({
  task: { id: taskId, agent: 'an-agent' },
  fence,
  attempt: fence,
  leaseMs: 30_000,
  workspace: taskId,
  policy: defaultPolicy,
  ...more,
})

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** A runner whose polls wait for the test to answer them, and whose runs end when the test says so. */
const startLoop = ({ once = false } = {}) => {
  const polls: Polled[] = []
  const registered: object[] = []
  const failures: string[] = []
  const outcomes: object[] = []
  const register = { refuse: undefined as ApiError | undefined }
  const runs: { taskId: string; fence: number; end: () => void }[] = []
  const links = new Map<string, ClaimLink>()
  const clock = createFakeClock()
  const offer = { agents: [{ type: 'an-agent' }] }
  const client = {
    registerRunner: async ({ body }: { body: { agents: object } }) => {
      const { refuse } = register
      register.refuse = undefined
      if (refuse) throw refuse
      registered.push(body.agents)
      const now = new Date(clock.now()).toISOString()
      return { runner: { id: 'rnr_1' }, registration: registered.length, heartbeatMs: 10_000, now }
    },
    endClaim: async ({ params, body }: { params: { taskId: string }; body: object }) => {
      outcomes.push({ taskId: params.taskId, ...body })
      return { ok: true }
    },
    claimTask: {
      raw: ({ body }: { body: Body }, { signal }: { signal: AbortSignal }) =>
        new Promise<Response>((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
          polls.push({
            body,
            answer: (given) => resolve(given ? Response.json(given) : new Response(null, { status: 204 })),
            respond: resolve,
            refuse: (status, code) =>
              reject(new ApiError(new Response(null, { status }), { error: code, code })),
          })
        }),
    },
  }
  const loop = createRunnerLoop({
    settings: { name: 'north', labels: [], concurrency: once ? 1 : 2, once },
    client,
    // It waits no time.
    persist: async (_what: string, request: () => Promise<unknown>, { signal }: { signal: AbortSignal }) => {
      for (;;) {
        try {
          return await request()
        } catch (thrown) {
          signal.throwIfAborted()
          if (isFinal(thrown)) throw thrown
          failures.push(errorMessage(thrown))
        }
      }
    },
    outcomes: { left: () => [] },
    links,
    active: createActiveRuns(),
    worker: {
      run: ({ taskId, fence }: { taskId: string; fence: number }) =>
        new Promise<void>((resolve) => {
          const end = () => {
            const link = links.get(taskId)
            links.delete(taskId)
            link?.close()
            resolve()
          }
          runs.push({ taskId, fence, end })
        }),
      settled: async () => undefined,
    },
    target: async () => ({ provider: 'p', model: 'm' }),
    learnPolicy: () => undefined,
    hear: () => undefined,
    onRegistered: () => undefined,
    offered: async () => offer.agents,
    isolation: 'none',
    clock,
    log: createFakeLog(),
  } as never as Parameters<typeof createRunnerLoop>[0])
  const ended = loop.run()
  ended.catch(() => undefined)
  ends.push(async () => {
    const stopping = loop.stop()
    for (const { end } of runs) end()
    const last = await until(() => polls.find(({ body }) => 'waitMs' in body && body.waitMs === 0))
    last.answer(undefined)
    await stopping
  })
  let read = 0
  /** The next poll of the runner. */
  const nextPoll = async () => {
    const poll = await until(() => polls[read])
    read += 1
    return poll
  }
  return { loop, ended, nextPoll, runs, registered, offer, clock, failures, outcomes, register }
}

describe('a runner', () => {
  it('begins the next claim of a task once its earlier run has ended, and names it from the start', async () => {
    const { nextPoll, runs } = startLoop()
    ;(await nextPoll()).answer({ claim: claim('task_1', 1), stop: [] })
    ;(await nextPoll()).answer({ stop: [{ taskId: 'task_1', fence: 1, reason: 'lost' }] })
    ;(await nextPoll()).answer({ claim: claim('task_1', 2), stop: [] })
    const { body } = await nextPoll()
    expect(body.running).toEqual([{ taskId: 'task_1', fence: 2 }])
    expect(runs).toMatchObject([{ fence: 1 }])
    runs[0]?.end()
    await until(() => runs[1])
    expect(runs).toMatchObject([{ fence: 1 }, { fence: 2 }])
  })

  it('does not begin a claim that was over before it could', async () => {
    const { nextPoll, runs } = startLoop()
    ;(await nextPoll()).answer({ claim: claim('task_1', 1), stop: [] })
    ;(await nextPoll()).answer({ claim: claim('task_1', 2), stop: [] })
    ;(await nextPoll()).answer({ stop: [{ taskId: 'task_1', fence: 2, reason: 'cancelled' }] })
    const { body } = await nextPoll()
    expect(body.running).toEqual([{ taskId: 'task_1', fence: 1 }])
    runs[0]?.end()
    ;(await nextPoll()).answer(undefined)
    await nextPoll()
    expect(runs).toHaveLength(1)
  })

  it('with once says what it runs until that has ended, hears of its end, and takes nothing else', async () => {
    const { nextPoll, ended, runs } = startLoop({ once: true })
    const held = { takes: false, running: [{ taskId: 'task_1', fence: 1 }] }
    ;(await nextPoll()).answer({ claim: claim('task_1', 1), stop: [] })
    const second = await nextPoll()
    expect(second.body).toMatchObject(held)
    second.answer(undefined)
    const third = await nextPoll()
    expect(third.body).toMatchObject(held)
    third.answer({ stop: [{ taskId: 'task_1', fence: 1, reason: 'cancelled' }] })
    expect((await nextPoll()).body).toMatchObject({ takes: false, running: [] })
    runs[0]?.end()
    await ended
  })

  it('registers again when other agents are installed, and not otherwise', async () => {
    const { nextPoll, registered, offer, clock } = startLoop()
    clock.advance(60_000)
    ;(await nextPoll()).answer(undefined)
    ;(await nextPoll()).answer(undefined)
    await nextPoll().then(({ answer }) => {
      offer.agents = [...offer.agents, { type: 'another' }]
      clock.advance(60_000)
      answer(undefined)
    })
    await nextPoll()
    expect(registered).toEqual([[{ type: 'an-agent' }], [{ type: 'an-agent' }, { type: 'another' }]])
  })

  it('numbers its polls, and goes on when the rights of its owner changed during one', async () => {
    const { nextPoll } = startLoop()
    const first = await nextPoll()
    first.refuse(401, 'rights_ended')
    const second = await nextPoll()
    expect(second.body.number).toBeGreaterThan(first.body.number)
  })

  it.each<[number, string]>([
    [401, 'invalid_token'],
    [403, 'scope_missing'],
    [400, 'runner_replaced'],
    [400, 'runners_off'],
  ])('ends when the service refuses it with %s %s', async (status, code) => {
    const { nextPoll, ended } = startLoop()
    ;(await nextPoll()).refuse(status, code)
    await expect(ended).rejects.toMatchObject({ code: 'bad_setting' })
  })

  const html = '<!doctype html><title>Sign in to the network</title>'
  it.each<[string, (poll: Polled) => void]>([
    ['413 of a function', ({ refuse }) => refuse(413, 'answer_too_large')],
    ['413 of a proxy', ({ refuse }) => refuse(413)],
    ['500', ({ refuse }) => refuse(500, 'internal_error')],
    ['502 of a proxy', ({ refuse }) => refuse(502)],
    ['401 of a proxy', ({ refuse }) => refuse(401)],
    ['403 of a proxy', ({ refuse }) => refuse(403)],
    ['404 of a load balancer without a service', ({ refuse }) => refuse(404)],
    ['400 that says nothing of this runner', ({ refuse }) => refuse(400, 'validation_failed')],
    ['a page', ({ respond }) => respond(new Response(html))],
    ['a part of an answer', ({ respond }) => respond(new Response('{"claim":{"task"'))],
    ['no object', ({ answer }) => answer([])],
    ['a claim of no task', ({ answer }) => answer({ claim: { fence: 1 }, stop: [] })],
  ])('polls again after %s, and runs what comes then', async (_what, spoil) => {
    const { nextPoll, runs, registered, failures } = startLoop()
    for (let time = 0; time < 3; time += 1) spoil(await nextPoll())
    const next = await nextPoll()
    expect(next.body.running).toEqual([])
    next.answer({ claim: claim('task_1', 1), stop: [] })
    await until(() => runs[0])
    // Each failure is waited after.
    expect([failures.length, registered.length]).toEqual([3, 1])
  })

  it.each<[string, object]>([
    ['a policy', { policy: undefined }],
    ['a workspace', { workspace: undefined }],
    ['the length of its lease', { leaseMs: 'long' }],
    ['the type of its agent', { task: { id: 'task_1' } }],
  ])('says of a claim without %s that it cannot begin, and begins the others', async (_what, lack) => {
    const { nextPoll, runs, outcomes } = startLoop()
    const more = [claim('task_2', 1)]
    ;(await nextPoll()).answer({ claim: claim('task_1', 7, lack), more, stop: [] })
    await until(() => runs[0])
    expect(runs).toMatchObject([{ taskId: 'task_2' }])
    const error = { code: 'bad_claim', message: expect.stringContaining('could not start') }
    expect(outcomes).toMatchObject([
      { taskId: 'task_1', fence: 7, end: { kind: 'failed', error, retryable: true } },
    ])
    expect((await nextPoll()).body.running).toEqual([{ taskId: 'task_2', fence: 1 }])
  })

  it('registers again where it is forgotten, whatever a load balancer answers meanwhile', async () => {
    const { nextPoll, registered, register } = startLoop()
    const poll = await nextPoll()
    register.refuse = new ApiError(new Response(null, { status: 404 }), 'default backend')
    poll.refuse(404, 'runner_not_found')
    await nextPoll()
    expect(registered).toHaveLength(2)
  })

  it('ends where it has been removed', async () => {
    const { nextPoll, ended, register } = startLoop()
    const poll = await nextPoll()
    const code = 'runner_removed'
    register.refuse = new ApiError(new Response(null, { status: 400 }), { error: code, code })
    poll.refuse(404, 'runner_not_found')
    await expect(ended).rejects.toMatchObject({ code: 'bad_setting' })
  })
})
