import { describe, expect, it } from '@jest/globals'
import type { ContinueTurn, ApprovalRequest as Request, TurnMessage } from '../../lib/approvals/schema.ts'
import type { Principal } from '../../lib/core/principal.ts'
import type { Store } from '../../lib/ports/store.ts'
import type { RecordedCall } from '../../lib/security/tool-calls.ts'
import { conversationTools, taskTools } from '../../lib/tools/catalog.ts'
import { toolNames } from '../../lib/tools/schema.ts'
import { createCaller } from '../fakes/caller.ts'
import { ANN, BOB, startDomains, turns, until } from '../fakes/service.ts'
import { temporaryFolder } from '../journeys/service.ts'

const ADMIN: Principal = { userId: 'user_admin', role: 'admin' }
const DAY_MS = 86_400_000

const called = (more: Partial<RecordedCall> = {}): RecordedCall => ({
  callId: 'call_1',
  tool: 'read_file',
  risk: 'read',
  arguments: { path: 'a.md' },
  result: 'text',
  failed: false,
  decision: 'allowed',
  mode: 'full',
  userId: 'user_ann',
  durationMs: 3,
  ...more,
})

const started = async (options: Parameters<typeof startDomains>[0] = {}) => {
  const service = await startDomains(options)
  const call = createCaller(service)
  return {
    service,
    call,
    get: async (path: string, as = ANN) => (await call(`GET /api/security/${path}`, { as })).body,
  }
}

describe('the policy', () => {
  it('is strict by default, and known to every user', async () => {
    const { get } = await started()
    expect(await get('policy')).toEqual({
      policy: {
        defaultMode: 'ask',
        allowedTools: [],
        blockedTools: [],
        requireApprovalFor: [],
        auditAll: true,
        toolRateLimitPerMinute: 300,
      },
      taskMode: 'full',
    })
  })

  it('is changed field by field, on record, and holds for calls at once', async () => {
    const { service, call, get } = await started()
    const change = (body: object) => call('PUT /api/security/policy', { body, as: ADMIN })
    expect((await change({ blockedTools: ['git', 'git'] })).body.policy).toMatchObject({
      blockedTools: ['git'],
    })
    await change({ defaultMode: 'sandbox', toolRateLimitPerMinute: 5 })
    await change({})
    expect((await get('policy')).policy).toMatchObject({
      blockedTools: ['git'],
      defaultMode: 'sandbox',
      toolRateLimitPerMinute: 5,
      auditAll: true,
    })
    expect(service.toolSecurity.policy.known()).toMatchObject({ blockedTools: ['git'] })
    const { records } = (await call('GET /api/audit?action=policy.change', { as: ADMIN })).body
    expect(
      records.map(({ userId, details }: { userId: string; details: object }) => [userId, details]),
    ).toEqual([
      ['user_admin', { defaultMode: 'sandbox', toolRateLimitPerMinute: 5 }],
      ['user_admin', { blockedTools: ['git'] }],
    ])
  })

  it.each([
    [{ blockedTools: ['rm'] }, 'blockedTools.0', /must be one of list_files, read_file.*get_task/],
    [{ allowedTools: 'git' }, 'allowedTools', /must be a list/],
    [{ defaultMode: 'open' }, 'defaultMode', /deny/],
    [{ toolRateLimitPerMinute: 0 }, 'toolRateLimitPerMinute', /1/],
    [{ auditAll: 'no' }, 'auditAll', /must be true or false/],
  ])('refuses %j, and says what may be', async (body, path, message) => {
    const { call } = await started()
    const answer = await call('PUT /api/security/policy', { body, as: ADMIN })
    expect(answer).toMatchObject({
      status: 400,
      body: { details: [{ path, message: expect.stringMatching(message) }] },
    })
  })

  it('names the tools that there are', () => {
    const needs = { outbound: {}, clock: {} } as never as Parameters<typeof conversationTools>[0]
    const tools = [...conversationTools(needs), ...taskTools(async () => [])]
    expect(new Set(tools.map(({ name }) => name))).toEqual(new Set(toolNames))
  })
})

describe('the audit of tool calls', () => {
  const recorded = async (...calls: Partial<RecordedCall>[]) => {
    const world = await started()
    for (const more of calls) {
      world.service.clock.advance(1)
      world.service.toolCalls.record(called(more))
      await world.service.toolCalls.settled()
    }
    return world
  }

  it('has each call whole in its entry and short in lists', async () => {
    const long = 'x'.repeat(5_000)
    const { get } = await recorded({ arguments: { path: long }, result: long, conversationId: 'c-1' })
    const { entries, ...facts } = await get('audit')
    expect(facts).toEqual({ total: 1, count: 1, limit: 50 })
    const [{ id, arguments: given, result }] = entries
    expect([given.length, result.length]).toEqual([200, 200])
    expect((await get(`audit/${id}`)).entry).toEqual({
      id,
      timestamp: expect.any(String),
      userId: 'user_ann',
      conversationId: 'c-1',
      tool: 'read_file',
      callId: 'call_1',
      arguments: { path: long },
      result: long,
      failed: false,
      mode: 'full',
      decision: 'allowed',
      durationMs: 3,
    })
  })

  it.each([
    ['', ['e', 'c', 'a']],
    ['?tool=git', ['c']],
    ['?decision=denied', ['c']],
    ['?decision=allowed&tool=git', []],
    ['?conversationId=c-1', ['a']],
    ['?taskId=t-1', ['e']],
    ['?callId=call_2', ['e']],
    ['?conversationId=c-1&callId=call_2', []],
    ['?userId=user_bob', []],
    ['?limit=2', ['e', 'c']],
    ['?limit=1&offset=2', ['a']],
    ['?from=2030-01-01', []],
    ['?to=2030-01-01', ['e', 'c', 'a']],
  ])('shows a user of their own what %s asks for, and admins of all', async (query, named) => {
    const { get } = await recorded(
      { result: 'a', conversationId: 'c-1' },
      { result: 'b', userId: 'user_bob', conversationId: 'c-1' },
      { result: 'c', tool: 'git', decision: 'denied' },
      { result: 'd', tool: 'git', userId: 'user_bob', taskId: 't-1' },
      { result: 'e', taskId: 't-1', callId: 'call_2' },
    )
    const auditResults = async (as: Principal) =>
      (await get(`audit${query}`, as)).entries.map(({ result }: { result: string }) => result)
    expect(await auditResults(ANN)).toEqual(named)
    const all = await auditResults(ADMIN)
    if (query === '') expect(all).toEqual(['e', 'd', 'c', 'b', 'a'])
    if (query === '?userId=user_bob') expect(all).toEqual(['d', 'b'])
    if (query === '?taskId=t-1') expect(all).toEqual(['e', 'd'])
  })

  it('comes in pages, whose cursor belongs to the same question', async () => {
    const { call, get } = await recorded({ result: 'a' }, { result: 'b' }, { result: 'c' })
    const first = await get('audit?limit=2')
    expect(first.total).toBe(3)
    const { entries } = await get(`audit?limit=2&cursor=${first.nextCursor}`)
    expect(entries.map(({ result }: { result: string }) => result)).toEqual(['a'])
    for (const query of [`tool=git&cursor=${first.nextCursor}`, 'cursor=nonsense', 'limit=0', 'from=later'])
      expect((await call(`GET /api/security/audit?${query}`)).status).toBe(400)
  })

  it('hides calls of others behind 404', async () => {
    const { call, get } = await recorded({})
    const [{ id }] = (await get('audit')).entries
    expect((await call(`GET /api/security/audit/${id}`, { as: BOB })).status).toBe(404)
    expect((await call(`GET /api/security/audit/${id}`, { as: ADMIN })).status).toBe(200)
    expect((await call('GET /api/security/audit/none')).status).toBe(404)
  })

  it('without auditAll leaves out reads that were allowed, and nothing else', async () => {
    const { service, call, get } = await started()
    await call('PUT /api/security/policy', { body: { auditAll: false }, as: ADMIN })
    for (const more of [{}, { decision: 'blocked' }, { risk: 'write' }, { decision: 'approved' }] as const)
      service.toolCalls.record(called(more))
    await service.toolCalls.settled()
    expect((await get('audit')).total).toBe(3)
  })

  it('drops calls after 90 days', async () => {
    const { service, get } = await recorded({})
    service.clock.advance(90 * DAY_MS)
    await service.store.sweep(10)
    expect(await get('audit')).toMatchObject({ entries: [], total: 0 })
  })

  it('delays no caller while storage fails, and then has the call in the log', async () => {
    let isDown = false
    const wrapStore = (store: Store): Store =>
      Object.assign(Object.create(store), {
        commit: (...change: Parameters<Store['commit']>) =>
          isDown ? Promise.reject(new Error('disk full')) : store.commit(...change),
      })
    const { service } = await started({ wrapStore })
    isDown = true
    service.toolCalls.record(called({ result: 'not lost' }))
    const settled = service.toolCalls.settled()
    await service.pass(60_000)
    await settled
    expect(JSON.stringify(service.log.entries)).toContain('not lost')
  })
})

const request: Request = {
  tool: 'write_file',
  risk: 'write',
  mode: 'ask',
  title: 'write_file a.txt',
  userId: 'user_ann',
  arguments: { path: 'a.txt' },
  conversationId: 'c-1',
}

/** Hears of turns that go on. */
const hearing = () => {
  const heard: TurnMessage[] = []
  const continueTurn: ContinueTurn = async (turn) => void heard.push(turn)
  return { heard, continueTurn }
}

describe('approvals over the API', () => {
  it('are shown to their user alone, and decided once', async () => {
    const { heard, continueTurn } = hearing()
    const { service, call, get } = await started({ continueTurn })
    await service.approvals.ask(request)
    expect((await get('approvals', BOB)).approvals).toEqual([])
    const [{ id, params, conversationId }] = (await get('approvals')).approvals
    expect({ params, conversationId }).toEqual({ params: { path: 'a.txt' }, conversationId: 'c-1' })
    const decide = (as: Principal, decision: unknown, of = id) =>
      call(`POST /api/security/approvals/${of}`, { as, body: { decision } })
    expect((await decide(BOB, 'deny')).status).toBe(404)
    expect((await decide(ANN, 'deny', 'none')).status).toBe(404)
    expect((await decide(ANN, 'perhaps')).status).toBe(400)
    expect((await decide(ANN, 'allow-once')).body).toMatchObject({
      success: true,
      approval: { id, status: 'approved', decision: 'allow-once', decidedBy: 'user_ann' },
    })
    expect(await decide(ANN, 'allow-once')).toMatchObject({ status: 400, body: { code: 'approval_decided' } })
    await until(() => heard.length > 0)
    expect(heard).toEqual([{ approvalId: id, conversationId: 'c-1' }])
  })

  it('that were always given are listed over the API, and taken back there', async () => {
    const { service, call, get } = await started()
    await service.approvals.ask(request)
    const [{ id }] = (await get('approvals')).approvals
    await call(`POST /api/security/approvals/${id}`, { as: ANN, body: { decision: 'allow-always' } })
    expect((await get('allowed-tools')).allowedTools).toMatchObject([
      { id, toolName: 'write_file', conversationId: 'c-1', userId: 'user_ann' },
    ])
    const disallow = (as: Principal) => call(`DELETE /api/security/allowed-tools/${id}`, { as })
    expect((await disallow(BOB)).status).toBe(404)
    expect((await disallow(ANN)).status).toBe(200)
    expect((await get('allowed-tools')).allowedTools).toEqual([])
  })

  it('that expire are told to the run that waits for them', async () => {
    const { heard, continueTurn } = hearing()
    const { service, call } = await started({ continueTurn })
    const { conversationId: _, ...rest } = request
    const asked = await service.approvals.ask({ ...rest, taskId: 't-1', ttlMs: 30_000 })
    const approvalId = asked.state === 'pending' ? asked.approvalId : ''
    await service.pass(32_000, 1_000)
    await until(() => heard.length > 0)
    expect(heard).toEqual([{ approvalId, taskId: 't-1' }])
    expect(
      await call(`POST /api/security/approvals/${approvalId}`, { body: { decision: 'allow-once' } }),
    ).toMatchObject({ status: 400, body: { code: 'approval_expired' } })
  })

  it('count when the process was down before the turn went on', async () => {
    using folder = temporaryFolder()
    const file = folder.in('service.db')
    const first = await started({ file, background: false })
    const asked = await first.service.approvals.ask(request)
    const id = asked.state === 'pending' ? asked.approvalId : ''
    await first.service.approvals.decide(ANN, id, 'allow-once')
    await first.service[Symbol.asyncDispose]()
    const { heard, continueTurn } = hearing()
    const second = await started({ file, continueTurn })
    await until(() => heard.length > 0)
    expect(heard).toEqual([{ approvalId: id, conversationId: 'c-1' }])
    expect(await second.service.approvals.use(request)).toEqual({ state: 'approved', approvalId: id })
    await second.service[Symbol.asyncDispose]()
  })

  it('are sent again while the turn cannot go on', async () => {
    let fails = 2
    const { heard, continueTurn } = hearing()
    const { service } = await started({
      continueTurn: async (turn) => {
        await continueTurn(turn)
        fails -= 1
        if (fails >= 0) throw new Error('not now')
      },
    })
    const asked = await service.approvals.ask(request)
    await service.approvals.decide(ANN, asked.state === 'pending' ? asked.approvalId : '', 'deny')
    await turns()
    await service.pass(10_000)
    expect(heard).toHaveLength(3)
  })
})
