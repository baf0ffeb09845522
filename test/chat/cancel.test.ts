import { describe, expect, it } from '@jest/globals'
import type { Toolbox } from '../../lib/ports/tool.ts'
import { toolCalls } from '../../lib/security/rows.ts'
import { type ConversationRow, conversations } from '../../lib/turns/rows.ts'
import { forEachTest } from '../fakes/lifetimes.ts'
import { createHangingModels, createScriptedModels } from '../fakes/scripted-models.ts'
import { turns as eventLoop } from '../fakes/service.ts'
import { fakeToolbox } from '../fakes/toolbox.ts'
import { ANN, BOB, createWorld, FIRST_BYTE_MS, type Process, TIMEOUT_MS } from './world.ts'

const world = forEachTest(
  async () => createWorld(),
  (one) => one[Symbol.asyncDispose](),
)
const RENEWAL_MS = 5_000

const refusal = async (call: Promise<unknown>) =>
  call.then(
    () => 'answered',
    ({ kind, code }) => `${kind} ${code}`,
  )

/** Tools whose calls wait for an approval of the service. */
const asking = (one: () => Process) => (): Toolbox =>
  fakeToolbox(
    async ({ name, arguments: given }) => {
      const answer = await one().approvals.use({
        tool: name,
        risk: 'write',
        title: name,
        mode: 'ask',
        userId: ANN.userId,
        conversationId: 'conv',
        arguments: given as Record<string, unknown>,
      })
      const waits = answer.state === 'pending' ? { approvalId: answer.approvalId } : {}
      const decision = answer.state === 'pending' ? 'pending' : 'approved'
      return { content: 'x', failed: false, decision, durationMs: 1, ...waits }
    },
    { isDecided: async (approvalId) => (await one().approvals.waitState(approvalId)) !== 'pending' },
  )

describe('a turn that is cancelled', () => {
  type Ask = (one: Process, id: string) => Promise<unknown>
  const messages = [{ role: 'user' as const, content: 'Hi' }]
  const kinds: [string, Ask][] = [
    ['without tools', ({ send }, id) => send.send(ANN, id, { content: 'Hi' })],
    ['with tools', ({ send }, id) => send.sendWithTools(ANN, id, { content: 'Hi', securityMode: 'full' })],
    [
      'as a completion',
      ({ completions }, id) => completions.complete(ANN, { messages, stream: false, conversationId: id }),
    ],
  ]

  it.each(kinds)('%s ends at once, and lets the next one begin', async (_kind, ask) => {
    const one = world().process({ models: createHangingModels('Well, ') })
    const id = await one.begin()
    const asked = refusal(ask(one, id))
    await eventLoop()
    expect(await refusal(one.cancelTurn(BOB, id))).toBe('missing conversation_not_found')
    await one.cancelTurn(ANN, id)
    expect(await asked).toBe('invalid cancelled')
    const next = world().process({ models: createScriptedModels([{ text: 'Here.' }]) })
    expect(await next.send.send(ANN, id, { content: 'Still there?' })).toMatchObject({
      assistantMessage: { content: 'Here.' },
    })
  })

  it('in another process ends with the next renewal of its lease', async () => {
    const one = world().process({ models: createHangingModels('Well, ') })
    const id = await one.begin()
    const asked = refusal(one.send.send(ANN, id, { content: 'Hi' }))
    await eventLoop()
    await world()
      .process({ models: createHangingModels('Well, ') })
      .cancelTurn(ANN, id)
    await eventLoop()
    world().clock.advance(RENEWAL_MS)
    expect(await asked).toBe('invalid cancelled')
    expect((await one.read(id)).at(-1)).toMatchObject({ content: 'Well, ', error: { code: 'cancelled' } })
  })

  it('while it waits for approval is over: nothing waits any more, and the same call asks anew', async () => {
    const models = createScriptedModels([
      { calls: [{ name: 'write', arguments: { n: 1 } }] },
      { text: 'Something else.' },
      { calls: [{ name: 'write', arguments: { n: 1 } }] },
    ])
    const one: Process = world().process({ models, openTools: asking(() => one) })
    const id = await one.begin()
    const { pendingApprovals } = await one.send.sendWithTools(ANN, id, { content: 'Write' })
    expect(await one.approvals.list(ANN)).toMatchObject([{ id: pendingApprovals?.[0]?.id }])
    await one.cancelTurn(ANN, id)
    expect(await one.approvals.list(ANN)).toEqual([])
    expect(
      (await world().store.page(toolCalls, { index: 'newest', order: 'desc', limit: 9 })).rows,
    ).toMatchObject([
      { tool: 'write', decision: 'denied', resultSummary: 'Not made: the turn was cancelled' },
    ])
    expect((await one.read(id)).at(-1)).toMatchObject({
      role: 'assistant',
      error: { code: 'cancelled' },
      toolCalls: [{ name: 'write', status: 'error' }],
    })
    // A message of the decision finds nothing that waits.
    await one.turns.resume({ conversationId: id })
    await one.send.send(ANN, id, { content: 'Never mind' })
    const again = await one.send.sendWithTools(ANN, id, { content: 'Write' })
    expect(again.pendingApprovals).toMatchObject([{ toolName: 'write' }])
  })

  it.each([
    ['its time is over', (_one: Process) => world().clock.advance(TIMEOUT_MS), 'timeout'],
    ['the process ends', (one: Process) => one.send.stopAll(), 'shutting_down'],
  ])('while another call of it waits leaves nothing that waits, as when %s', async (_when, end, code) => {
    const models = createScriptedModels([
      { text: 'First this. ', calls: [1, 2].map((n) => ({ name: 'write', arguments: { n } })) },
    ])
    let isHanging = false
    const one: Process = world().process({
      models,
      openTools: () => {
        const tools = asking(() => one)()
        return {
          ...tools,
          ask: (call, signal) => tools.call(call, signal),
          call: async (call, signal) => {
            const outcome = await tools.call(call, signal)
            if (outcome.decision !== 'approved') return outcome
            isHanging = true
            return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
          },
        }
      },
    })
    const id = await one.begin()
    const { pendingApprovals = [] } = await one.send.sendWithTools(ANN, id, { content: 'Write' })
    expect(pendingApprovals).toHaveLength(2)
    await one.approvals.decide(ANN, pendingApprovals[0]?.id ?? '', 'allow-once')
    const resumed = refusal(one.turns.resume({ conversationId: id }))
    while (!isHanging) await eventLoop()
    end(one)
    expect(await resumed).toBe(`unavailable ${code}`)
    expect((await one.read(id)).at(-1)).toMatchObject({ content: 'First this. ', error: { code } })
    expect(await one.approvals.list(ANN)).toEqual([])
    const { rows } = await world().store.page(toolCalls, { index: 'newest', order: 'desc', limit: 9 })
    expect(rows).toMatchObject([{ approvalId: pendingApprovals[1]?.id, decision: 'denied' }])
  })

  it('whose process died is over with the next turn, and nothing waits any more', async () => {
    const models = createScriptedModels([
      { calls: [{ name: 'write', arguments: { n: 1 } }] },
      { text: 'Something else.' },
    ])
    const one: Process = world().process({ models, openTools: asking(() => one) })
    const id = await one.begin()
    await one.send.sendWithTools(ANN, id, { content: 'Write' })
    const lease = { turnToken: 'turn_dead', turnUntil: world().clock.now() - 1 }
    await world().store.commit<ConversationRow>({ update: conversations, key: id, set: lease })
    await one.send.send(ANN, id, { content: 'Never mind' })
    expect((await one.read(id))[1]).toMatchObject({ error: { code: 'interrupted' } })
    expect(await one.approvals.list(ANN)).toEqual([])
  })

  it('is there: otherwise the request is refused', async () => {
    const one = world().process({ models: createScriptedModels([{ text: 'Yes.' }]) })
    const id = await one.begin()
    await one.send.send(ANN, id, { content: 'Hi' })
    expect(await refusal(one.cancelTurn(ANN, id))).toBe('invalid turn_state_conflict')
  })
})

describe('the beginning of a turn', () => {
  it('ends after its time, when a summary is not made by then', async () => {
    const slow = world().process({ models: { ...createHangingModels('Well, '), contextTokens: () => 100 } })
    const quick = createScriptedModels([{ text: 'word '.repeat(60) }])
    const id = await slow.begin()
    await world().process({ models: quick }).send.send(ANN, id, { content: 'Hi' })
    const begun = refusal(slow.turns.begin(ANN, id, { content: 'And now?' }))
    await eventLoop()
    world().clock.advance(FIRST_BYTE_MS)
    expect(await begun).toBe('unavailable timeout')
  })
})
