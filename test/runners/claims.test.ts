import { afterEach, describe, expect, it } from '@jest/globals'
import { createClient } from '../../lib/api/client.ts'
import { eventsIn } from '../../lib/api/server-sent-events.ts'
import { runnerRoutes } from '../../lib/runners/contract.ts'
import { until } from '../journeys/api.ts'
import { connect } from '../journeys/client.ts'
import { openedService } from '../journeys/opened-service.ts'
import { isOffline } from '../journeys/service.ts'

// Its tasks run on runners alone.
const SHARED = `${'f3'.repeat(8)}0123456789abcdef`
const service = openedService({
  WORKER: 'off',
  RUNNERS: 'on',
  TASK_LEASE_MS: '4000',
  RUNNER_TOKEN: SHARED,
})
const person = () => connect(service().baseUrl)

let number = 0
const REGISTRATION = { version: '1', agents: ['coding-agent', 'on-a-runner'], concurrency: 1 }
const polls = new Set<AbortController>()
afterEach(() => {
  for (const poll of polls) poll.abort()
  polls.clear()
})

/** A runner as the API sees it: a token and requests. */
const openRunner = async (
  more: { name?: string; labels?: string[]; agents?: string[]; token?: string } = {},
) => {
  number += 1
  const { token = await makeToken(), name = `runner-${number}`, ...facts } = more
  const client = createClient(runnerRoutes, {
    baseUrl: service().baseUrl,
    headers: { authorization: `Bearer ${token}` },
  })
  const { runner, ...registered } = await client.registerRunner({ body: { ...REGISTRATION, name, ...facts } })
  const { id } = runner
  return {
    ...registered,
    client,
    runner,
    token,
    id,
    claim: async (
      waitMs = 5_000,
      running: { taskId: string; fence: number }[] = [],
      registration?: number,
    ) => {
      const poll = new AbortController()
      polls.add(poll)
      const body = { waitMs, running, registration }
      const response = await client.claimTask.raw({ params: { id }, body }, { signal: poll.signal })
      polls.delete(poll)
      return response.status === 204 ? undefined : ((await response.json()) as Claimed)
    },
    /** A request about a claim, with its status and its code. */
    about: (taskId: string, verb: string, body: object) =>
      post(`/api/runners/${id}/claims/${taskId}/${verb}`, body, token),
  }
}
type Claimed = {
  claim?: { task: { id: string; title: string }; fence: number; attempt: number }
  stop: object[]
}

const post = async (path: string, body: object, token?: string, method = 'POST') => {
  const response = await fetch(service().baseUrl + path, {
    method,
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })
  const answer = await response.json()
  return { status: response.status, code: (answer as { code?: string }).code, answer }
}

const get = async (path: string) => {
  const response = await fetch(service().baseUrl + path)
  return { status: response.status, answer: await response.json() }
}

const makeToken = async (scopes: ('runner' | 'gateway')[] = ['runner']): Promise<string> =>
  (await person().client.createToken({ body: { name: 'of a runner', scopes } })).token

/** The tasks of each test ask for a label of their own: no other runner gets them. */
const makeTask = async (label: string, more: object = {}) =>
  (await person().create({ title: `For ${label}`, assignedAgent: 'coding-agent', runsOn: [label], ...more }))
    .id

/** A call that asks for approval. */
const CALL = { uses: false, tool: 'git', risk: 'write', arguments: {}, title: 'git', mode: 'ask' }
const DONE = { kind: 'succeeded', result: { success: true, output: 'Done' } } as const

it('is ready to serve runners, though it runs nothing itself', async () => {
  expect(await person().client.readiness()).toMatchObject({ status: 'ready' })
})

describe('the registration of a runner', () => {
  it('is bound to one token and one name, and the later process of the same runner replaces the earlier one', async () => {
    const first = await openRunner()
    const again = await openRunner({ token: first.token, name: first.runner.name })
    expect([again.id, first.registration, again.registration]).toEqual([first.id, 1, 2])
    // What a function takes and gives; one process has no such limit.
    expect(first.mostBodyBytes).toBe(isOffline ? 5_500_000 : undefined)
    await expect(first.claim(0, [], 1)).rejects.toMatchObject({ status: 400, code: 'runner_replaced' })
    await expect(again.claim(0, [], 2)).resolves.toBeUndefined()
    await expect(openRunner({ token: first.token, name: 'another' })).rejects.toMatchObject({
      code: 'token_bound',
    })
    await expect(openRunner({ name: first.runner.name })).rejects.toMatchObject({ code: 'runner_name_taken' })
    const { runners } = await person().client.listRunners()
    expect(runners.find(({ id }) => id === first.id)).toMatchObject({ status: 'online', concurrency: 1 })
  })

  it.each([
    ['another token of a runner', async () => (await openRunner()).token, 404, 'runner_not_found'],
    ['a token of another scope', () => makeToken(['gateway']), 403, 'scope_missing'],
    ['no token', async () => undefined, 401, 'token_required'],
  ])('is refused to claims with %s', async (_which, token, status, code) => {
    const { id } = await openRunner()
    expect(await post(`/api/runners/${id}/claims`, { waitMs: 0 }, await token())).toMatchObject({
      status,
      code,
    })
  })

  it('names what does not fit where the service and the runner are of different times', async () => {
    const body = { ...REGISTRATION, name: 'of another time', protocol: 99 }
    const refused = await post('/api/runners', body, await makeToken())
    expect(refused).toMatchObject({ status: 400, code: 'runner_protocol' })
    expect(JSON.stringify(refused.answer)).toContain('Update the service first')
  })

  it('needs no token of its own where the service has one for all runners, which opens nothing else', async () => {
    const [one, two] = [await openRunner({ token: SHARED }), await openRunner({ token: SHARED })]
    expect([one.runner.userId, two.runner.userId]).toEqual(['installation', 'installation'])
    const { id: taskId } = { id: await makeTask(one.runner.name) }
    await openRunner({ token: SHARED, name: one.runner.name, labels: [one.runner.name] })
    const { claim } = (await one.claim()) as Claimed
    expect(claim?.task.id).toBe(taskId)
    const outcome = { fence: claim?.fence, end: DONE }
    expect(await one.about(taskId, 'outcome', outcome)).toMatchObject({ status: 200 })
    // A name that it has is taken for other tokens, and the names of other tokens for it.
    const own = await openRunner()
    await expect(openRunner({ name: one.runner.name })).rejects.toMatchObject({ code: 'runner_name_taken' })
    await expect(openRunner({ name: own.runner.name, token: SHARED })).rejects.toMatchObject({
      code: 'runner_name_taken',
    })
    expect((await post('/api/gateway', { title: 'No' }, SHARED)).status).toBe(401)
    expect((await post('/api/tasks', { title: 'No' }, SHARED)).status).toBe(401)
    expect((await post('/api/runners', { ...REGISTRATION, name: 'x' }, SHARED.slice(1))).status).toBe(401)
  })

  it('ends with the removal of the runner, whose token is void then', async () => {
    const { id, token, runner } = await openRunner()
    await person().client.removeRunner({ params: { id } })
    expect(await post(`/api/runners/${id}/claims`, { waitMs: 0 }, token)).toMatchObject({ status: 401 })
    // The name is free again.
    expect((await openRunner({ name: runner.name })).registration).toBe(1)
    const { id: ofMany, runner: one } = await openRunner({ token: SHARED })
    await person().client.removeRunner({ params: { id: ofMany } })
    await expect(openRunner({ token: SHARED, name: one.name })).rejects.toMatchObject({
      ...{ status: 400, code: 'runner_removed' },
    })
  })
})

describe('a service that runs no task itself', () => {
  it('is ready, and says that its worker is off', async () => {
    const { client } = person()
    expect(await client.readiness()).toMatchObject({ status: 'ready' })
    expect((await client.queueStatus()).workers.tasks).toMatchObject({ running: false, disabled: true })
  })
})

describe('what the service tells of a runner', () => {
  it('is in the health of the service, and on the live stream as it changes', async () => {
    const { client } = person()
    const stream = await client.followEvents.raw()
    if (stream.body === null) throw new Error('the stream has no body')
    const { id, runner } = await openRunner({ labels: ['seen'] })
    const { name, labels, isolation } = runner
    const health = async () => {
      const { runners } = (await client.detailedHealth()).components
      return { ...runners, runners: runners.runners.filter((each) => each.name === name) }
    }
    const agents = ['coding-agent', 'on-a-runner']
    expect(await health()).toMatchObject({
      worker: 'off',
      canRun: true,
      runners: [{ name, labels, isolation, agents, status: 'online' }],
    })
    await client.drainRunner({ params: { id }, body: {} })
    expect(await health()).toMatchObject({ runners: [{ name, status: 'draining' }] })
    await client.removeRunner({ params: { id } })
    expect((await health()).runners).toEqual([])
    expect(await typesUntil(stream.body, id, 'runner.removed')).toContain('runner.removed')
  })
})

/** The types of the events about a row, until one of a type. Events of one moment are told as one. */
const typesUntil = async (body: ReadableStream<Uint8Array>, id: string, last: string) => {
  const types: string[] = []
  for await (const events of eventsIn(body))
    for (const { data } of events) {
      const event = JSON.parse(data) as { type: string; data: { id?: string } }
      if (event.data.id === id) types.push(event.type)
      if (types.includes(last)) return types
    }
  return types
}

describe('a service whose tasks run on runners alone', () => {
  it('is ready', async () => {
    const { status, answer } = await get('/api/health/ready')
    expect([status, answer]).toMatchObject([200, { status: 'ready' }])
  })
})

describe('a claim', () => {
  it('comes to a runner with the labels, at once or when there is a task, and its outcome ends the task', async () => {
    const [fit, other] = [await openRunner({ labels: ['a', 'claim-1'] }), await openRunner({ labels: ['b'] })]
    const waiting = fit.claim()
    const id = await makeTask('claim-1')
    const { claim } = (await waiting) as Claimed
    expect(claim).toMatchObject({ task: { id, title: 'For claim-1' }, attempt: 1, fence: 1, leaseMs: 4_000 })
    expect(await other.claim(0)).toBeUndefined()
    expect(await person().task(id)).toMatchObject({ status: 'in_progress', runner: fit.runner.name })
    expect(await fit.about(id, 'renew', { fence: 1 })).toMatchObject({ status: 200 })
    const end = {
      fence: 1,
      end: DONE,
      cost: { usd: 0.5, source: 'price' },
      attemptCost: { usd: 0.5, source: 'price' },
    }
    expect(await fit.about(id, 'outcome', end)).toMatchObject({ status: 200 })
    expect(await person().task(id)).toMatchObject({
      status: 'completed',
      result: DONE.result,
      cost: { usd: 0.5 },
    })
    // A repeat changes nothing.
    expect(
      await fit.about(id, 'outcome', { fence: 1, end: { kind: 'stopped', reason: 'lost' } }),
    ).toMatchObject({
      status: 400,
      code: 'lease_lost',
    })
  })

  it('is of one runner and one fencing token: every other request about it is refused', async () => {
    const [holder, other] = [await openRunner({ labels: ['claim-2'] }), await openRunner()]
    const id = await makeTask('claim-2')
    await holder.claim()
    const bodies = {
      renew: {},
      events: {},
      pause: { message: 'waits', approvals: [] },
      resume: {},
      approvals: { uses: false, tool: 'git', risk: 'read', arguments: {}, title: 'git', mode: 'ask' },
      'approvals/apv_1': {},
      guidance: {},
      memory: { query: 'x' },
      outcome: { end: DONE },
    }
    for (const [verb, body] of Object.entries(bodies)) {
      const refused = { status: 400, code: 'lease_lost' }
      expect([verb, await other.about(id, verb, { ...body, fence: 1 })]).toMatchObject([verb, refused])
      expect([verb, await holder.about(id, verb, { ...body, fence: 2 })]).toMatchObject([verb, refused])
      expect([verb, await holder.about('task_none', verb, { ...body, fence: 1 })]).toMatchObject([
        verb,
        refused,
      ])
    }
    expect(await person().task(id)).toMatchObject({ status: 'in_progress', attempts: 1 })
  })

  it('that is not renewed is not given to the poll that still names it, but to another runner, and the late outcome of the first holder is refused', async () => {
    const silent = await openRunner({ labels: ['claim-silent'] })
    const id = await makeTask('claim-silent')
    const { claim } = (await silent.claim()) as Claimed
    // It waits for the next task, and does not renew the claim.
    const polling = silent.claim(20_000, [{ taskId: id, fence: 1 }])
    expect(await polling).toEqual({ stop: [{ taskId: id, fence: 1, reason: 'lost' }] })
    const other = await openRunner({ labels: ['claim-silent'] })
    const next = (await other.claim())?.claim
    expect(next?.task.id).toBe(id)
    expect([claim?.fence, next?.fence, next?.attempt]).toEqual([1, 2, 2])
    expect(await silent.about(id, 'outcome', { fence: 1, end: DONE })).toMatchObject({ code: 'lease_lost' })
    expect(await other.about(id, 'outcome', { fence: 2, end: DONE })).toMatchObject({ status: 200 })
    expect(await person().task(id)).toMatchObject({ status: 'completed', attempts: 2 })
  })

  it('whose answer got lost is queued again by the next poll, and does not count as an attempt', async () => {
    const runner = await openRunner({ labels: ['claim-4'] })
    const id = await makeTask('claim-4')
    const lost = (await runner.claim()) as Claimed
    const again = (await runner.claim()) as Claimed
    expect([lost.claim?.fence, again.claim?.fence, again.claim?.attempt]).toEqual([1, 2, 1])
    expect(again.claim?.task.id).toBe(id)
  })

  it('is not taken by a poll that a later one has replaced, and one that comes late releases nothing', async () => {
    const { id: runnerId, token, claim } = await openRunner({ labels: ['claim-late'] })
    const poll = (number: number, more: object = {}) =>
      post(`/api/runners/${runnerId}/claims`, { waitMs: 20_000, number, ...more }, token)
    const early = poll(1).catch(() => 'ended')
    const later = poll(2)
    expect(await early).toBe('ended')
    const id = await makeTask('claim-late')
    const { claim: claimed } = (await later).answer as Claimed
    expect(claimed).toMatchObject({ task: { id }, fence: 1 })
    // This one was sent before the runner knew of its claim.
    await expect(poll(1, { running: [] })).rejects.toThrow()
    expect(await person().task(id)).toMatchObject({ status: 'in_progress', attempts: 1 })
    expect(await claim(0, [{ taskId: id, fence: 1 }])).toBeUndefined()
  })

  it('notes a wait and its end once, however often they are said', async () => {
    const runner = await openRunner({ labels: ['claim-wait'] })
    const id = await makeTask('claim-wait')
    await runner.claim()
    const waits = {
      fence: 1,
      message: 'waits',
      approvals: [{ approvalId: 'apv_1', toolCallId: 'c', name: 'git' }],
    }
    for (const [verb, body] of [
      ['pause', waits],
      ['pause', waits],
      ['resume', { fence: 1 }],
      ['resume', { fence: 1 }],
    ] as const)
      expect(await runner.about(id, verb, body)).toMatchObject({ status: 200 })
    const { events } = await person().client.taskEvents({ params: { id } })
    expect(events.flatMap(({ metadata }) => metadata?.code ?? [])).toEqual([
      'waiting_for_approval',
      'resumed',
    ])
  })

  it('whose run was ended to wait for a decision stays so, however soon its runner polls again', async () => {
    const runner = await openRunner({ labels: ['claim-9'] })
    const id = await makeTask('claim-9')
    await runner.claim()
    const { answer } = await runner.about(id, 'approvals', { fence: 1, ...CALL })
    const { approvalId } = (answer as { answer: { approvalId: string } }).answer
    const approvals = [{ approvalId, toolCallId: 'call', name: 'git' }]
    const end = { kind: 'waiting', checkpoint: { at: 'step 3' }, message: 'waits', approvals }
    expect(await runner.about(id, 'outcome', { fence: 1, end })).toMatchObject({ status: 200 })
    for (let polls = 0; polls < 2; polls += 1) await runner.claim(0)
    // A renewal was on its way meanwhile, and the answer to the outcome got lost.
    const late = { renew: {}, pause: { message: 'waits', approvals }, resume: {}, outcome: { end } }
    for (const [verb, body] of Object.entries(late))
      expect(await runner.about(id, verb, { fence: 1, ...body })).toMatchObject({ code: 'lease_lost' })
    const { events } = await person().client.taskEvents({ params: { id } })
    expect(events.filter(({ metadata }) => metadata?.code === 'waiting_for_approval')).toHaveLength(1)
    expect(await person().task(id)).toMatchObject({ status: 'in_progress', waitingFor: 'approval' })
    await person().client.decideApproval({ params: { id: approvalId }, body: { decision: 'allow-once' } })
    const { claim } = (await runner.claim()) as Claimed
    const goesOn = { attempt: 1, resume: true, checkpoint: { at: 'step 3' } }
    expect(claim).toMatchObject({ ...goesOn, fence: 2 })
    // The answers to this claim and to the next one get lost.
    for (const fence of [3, 4])
      expect((await runner.claim())?.claim).toMatchObject({ ...goesOn, fence, task: { id } })
    // The runner ended before the run did begin; then while it ran, which begins the attempt anew.
    const stopped = { kind: 'stopped', reason: 'shutdown' }
    await runner.about(id, 'outcome', { fence: 4, end: { ...stopped, isUnbegun: true } })
    expect((await runner.claim())?.claim).toMatchObject({ ...goesOn, fence: 5 })
    await runner.about(id, 'outcome', { fence: 5, end: stopped })
    const anew = (await runner.claim())?.claim
    expect(anew).toMatchObject({ fence: 6, attempt: 1, resume: false })
    expect(anew).not.toHaveProperty('checkpoint')
  })

  it('comes to the poll that its runner began last: an earlier one may have lost its runner', async () => {
    const runner = await openRunner({ labels: ['claim-poll'] })
    const earlier = runner.claim(20_000).catch(() => 'gone')
    // A function behind a gateway does not see that a connection has ended.
    for (const poll of polls) poll.abort()
    const later = runner.claim()
    const id = await makeTask('claim-poll')
    expect(await later).toMatchObject({ claim: { task: { id }, fence: 1 } })
    expect(await earlier).toBe('gone')
  })

  it('of a cancelled task is named by the poll of its runner', async () => {
    const runner = await openRunner({ labels: ['claim-5'] })
    const id = await makeTask('claim-5')
    await runner.claim()
    const polling = runner.claim(20_000, [{ taskId: id, fence: 1 }])
    await person().client.cancelTask({ params: { id } })
    expect(await polling).toEqual({ stop: [{ taskId: id, fence: 1, reason: 'cancelled' }] })
    expect(await runner.about(id, 'outcome', { fence: 1, end: DONE })).toMatchObject({ code: 'lease_lost' })
    const stopped = { kind: 'stopped', reason: 'cancelled' }
    expect(await runner.about(id, 'outcome', { fence: 1, end: stopped })).toMatchObject({ status: 200 })
  })

  it('is not given to a runner that drains', async () => {
    const runner = await openRunner({ labels: ['claim-6'] })
    const { client } = person()
    await client.drainRunner({ params: { id: runner.id }, body: {} })
    const id = await makeTask('claim-6')
    expect(await runner.claim(0)).toBeUndefined()
    await client.drainRunner({ params: { id: runner.id }, body: { draining: false } })
    expect((await runner.claim())?.claim?.task.id).toBe(id)
  })

  it.each([
    ['released', { kind: 'stopped', reason: 'shutdown' }, { status: 'queued', attempts: 0 }],
    ['retried', failure(true), { status: 'queued', attempts: 1, error: { code: 'agent_error' } }],
    ['failed', failure(false), { status: 'failed', attempts: 1, error: { code: 'agent_error' } }],
  ])('ends as its runner says, and the task is %s', async (name, end, task) => {
    const runner = await openRunner({ labels: [name] })
    const id = await makeTask(name)
    await runner.claim()
    expect(await runner.about(id, 'outcome', { fence: 1, end })).toMatchObject({ status: 200 })
    expect(await person().task(id)).toMatchObject(task)
  })

  it.each([
    ['outcome', { end: { ...failure(true), retryAfterMs: 1e300 } }],
    ['approvals', { ...CALL, ttlMs: 1e300 }],
    ['events', { events: [{ id: '0001-0000001', type: 'content', timestamp: 9e15, data: {} }] }],
  ])('takes no time in its %s that no date can have', async (verb, body) => {
    const runner = await openRunner({ labels: [`time-${verb}`] })
    const id = await makeTask(`time-${verb}`)
    await runner.claim()
    expect(await runner.about(id, verb, { fence: 1, ...body })).toMatchObject({
      status: 400,
      code: 'validation_failed',
    })
  })

  it('of a reply goes to the runner that has the workspace of its thread', async () => {
    const [first, other] = [
      await openRunner({ labels: ['claim-8'] }),
      await openRunner({ labels: ['claim-8'] }),
    ]
    const id = await makeTask('claim-8')
    const { claim } = (await first.claim()) as Claimed
    await first.about(id, 'outcome', { fence: claim?.fence, end: DONE })
    const waiting = other.claim()
    await person().client.replyToTask({ params: { id }, body: { content: 'Go on' } })
    expect(await first.claim()).toMatchObject({ claim: { task: { threadId: id, prompt: 'Go on' } } })
    for (const poll of polls) poll.abort()
    await expect(waiting).rejects.toThrow()
  })

  it('shows progress, events and calls once, however often they are sent', async () => {
    const runner = await openRunner({ labels: ['claim-7'] })
    const id = await makeTask('claim-7')
    await runner.claim()
    const ulid = '01M8EAQR5YAQTB39NM8NZ5PJP3'
    const report = {
      fence: 1,
      target: { provider: 'p', model: 'm' },
      progress: [{ id: `evt_${ulid}`, message: 'half way' }],
      events: [{ id: '0001-0000001', type: 'content', timestamp: 1, data: { text: 'Hello' } }],
      toolCalls: [
        {
          id: `tca_${ulid}`,
          callId: 'c',
          tool: 'git',
          arguments: { args: [] },
          result: 'clean',
          failed: false,
          decision: 'allowed',
          mode: 'full',
          durationMs: 2,
        },
      ],
    }
    for (let time = 0; time < 2; time += 1)
      expect(await runner.about(id, 'events', report)).toMatchObject({ status: 200 })
    const { client } = person()
    const { events } = await client.taskEvents({ params: { id } })
    expect(events.filter(({ type }) => type === 'progress')).toMatchObject([
      { message: 'half way', attempt: 1 },
    ])
    const { entries } = await client.listToolCalls({ query: { taskId: id } })
    expect(entries).toMatchObject([{ tool: 'git', userId: 'local', taskId: id, decision: 'allowed' }])
    const { sessions } = await client.listAgentSessions({ query: { taskId: id } })
    expect(sessions).toMatchObject([{ provider: 'p', model: 'm', status: 'running' }])
    const wrong = { ...report, events: [{ ...report.events[0], id: '0002-0000001' }] }
    expect(await runner.about(id, 'events', wrong)).toMatchObject({ status: 400, code: 'wrong_event_id' })
  })
})

function failure(retryable: boolean) {
  return {
    kind: 'failed',
    error: { code: 'agent_error', message: 'it broke' },
    retryable,
    retryAfterMs: 60_000,
  }
}

describe('an agent that only runners have', () => {
  it('can be named by tasks, and is listed with its runners', async () => {
    const { runner, ...its } = await openRunner({ labels: ['own-agent'] })
    const { client } = person()
    const { agents } = await client.listAgents()
    const listed = agents.find(({ type }) => type === 'on-a-runner')
    expect(listed).toMatchObject({ family: 'runner', configured: true, inService: false })
    // The service is told to run nothing.
    expect(agents.filter(({ inService }) => inService)).toEqual([])
    expect(listed?.runners).toContain(runner.name)
    const id = await makeTask('own-agent', { assignedAgent: 'on-a-runner' })
    expect((await its.claim())?.claim?.task.id).toBe(id)
    await expect(makeTask('x', { assignedAgent: 'of nobody' })).rejects.toMatchObject({
      code: 'agent_unknown',
    })
  })
})

describe('a cap of concurrent tasks', () => {
  it('counts what runners run: the next task is claimed once one has ended or was cancelled', async () => {
    const cap = (perRepository: number | null) =>
      post('/api/settings', { concurrency: { perRepository } }, undefined, 'PATCH')
    await cap(1)
    const ids = []
    for (let n = 0; n < 3; n += 1) ids.push(await makeTask('capped', { repository: 'acme/capped' }))
    const [one, other] = [await openRunner({ labels: ['capped'] }), await openRunner({ labels: ['capped'] })]
    // The queues of functions keep no order among messages that were sent at once.
    const taken = [...ids]
    const take = (claimed: Claimed | undefined): string => {
      const id = claimed?.claim?.task.id ?? ''
      expect(isOffline ? taken : taken.slice(0, 1)).toContain(id)
      taken.splice(taken.indexOf(id), 1)
      return id
    }
    const first = await one.claim()
    const firstId = take(first)
    const message = 'the repository acme/capped is running 1 of at most 1 task'
    const place = { reason: 'slot', message, position: 1 }
    const { fence } = first?.claim ?? {}
    await until(async () => {
      // However slow the stack is, the first task keeps its slot.
      expect(await one.about(firstId, 'renew', { fence })).toMatchObject({ status: 200 })
      // The queues of functions may give a short poll nothing; the wait is known once a claim has met the task.
      expect(await other.claim(300)).toBeUndefined()
      const waiting = await Promise.all(taken.map((id) => get(`/api/tasks/${id}`)))
      const found = waiting.map(({ answer }) => (answer as { task: { waiting?: object } }).task.waiting)
      return found.some((each) => JSON.stringify(each)?.includes(message)) ? true : undefined
    })
    if (!isOffline)
      expect(await get(`/api/tasks/${taken[0]}`)).toMatchObject({ answer: { task: { waiting: place } } })
    const waits = other.claim(20_000)
    expect(await one.about(firstId, 'outcome', { fence, end: DONE })).toMatchObject({ status: 200 })
    const secondId = take(await waits)
    const next = one.claim(20_000)
    await post(`/api/tasks/${secondId}/cancel`, {})
    take(await next)
    await cap(null)
  })
})
