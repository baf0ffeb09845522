import { afterEach, describe, expect, it } from '@jest/globals'
import { ApiError } from '../../lib/api/api-error.ts'
import type { ClaimLink } from '../../lib/app/runner/claim-link.ts'
import { createRunnerLoop } from '../../lib/app/runner/loop.ts'
import { createActiveRuns } from '../../lib/worker/active.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { createFakeLog } from '../fakes/log.ts'
import { until } from '../journeys/api.ts'

type Body = { number: number; running: { taskId: string; fence: number }[] }
type Polled = { body: Body; answer: (given: object | undefined) => void; refuse: (code: string) => void }

const claim = (taskId: string, fence: number) => ({
  task: { id: taskId, agent: 'an-agent' },
  fence,
  attempt: fence,
  leaseMs: 30_000,
  workspace: taskId,
})

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** A runner whose polls wait for the test to answer them, and whose runs end when the test says so. */
const startLoop = () => {
  const polls: Polled[] = []
  const registered: object[] = []
  const runs: { taskId: string; fence: number; end: () => void }[] = []
  const links = new Map<string, ClaimLink>()
  const clock = createFakeClock()
  const offer = { agents: [{ type: 'an-agent' }] }
  const client = {
    registerRunner: async ({ body }: { body: { agents: object } }) => {
      registered.push(body.agents)
      const now = new Date(clock.now()).toISOString()
      return { runner: { id: 'rnr_1' }, registration: registered.length, heartbeatMs: 10_000, now }
    },
    claimTask: {
      raw: ({ body }: { body: Body }, { signal }: { signal: AbortSignal }) =>
        new Promise<Response>((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
          polls.push({
            body,
            answer: (given) => resolve(given ? Response.json(given) : new Response(null, { status: 204 })),
            refuse: (code) =>
              reject(new ApiError(new Response(null, { status: 401 }), { error: code, code })),
          })
        }),
    },
  }
  const loop = createRunnerLoop({
    settings: { name: 'north', labels: [], concurrency: 2, once: false },
    client,
    persist: (_what: string, request: () => Promise<unknown>) => request(),
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
  return { loop, ended, nextPoll, runs, registered, offer, clock }
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
    first.refuse('rights_ended')
    const second = await nextPoll()
    expect(second.body.number).toBeGreaterThan(first.body.number)
  })

  it('ends when its token is refused', async () => {
    const { nextPoll, ended } = startLoop()
    ;(await nextPoll()).refuse('invalid_token')
    await expect(ended).rejects.toMatchObject({ code: 'bad_setting' })
  })
})
