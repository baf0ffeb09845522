import { describe, expect, it } from '@jest/globals'
import { Problem } from '../../lib/core/errors.ts'
import type { ModelMessage, ToolCall } from '../../lib/ports/model.ts'
import type { Toolbox, ToolSession } from '../../lib/ports/tool.ts'
import { forEachTest } from '../fakes/lifetimes.ts'
import { createScriptedModels, type ScriptedStep } from '../fakes/scripted-models.ts'
import { fakeToolbox, pendingOn } from '../fakes/toolbox.ts'
import { ANN, createWorld, type Process } from './world.ts'

const world = forEachTest(
  async () => createWorld(),
  (one) => one[Symbol.asyncDispose](),
)

type Decision = 'pending' | 'approved' | 'denied'

/** Tools whose calls wait until they are decided, and what was done with them. */
const createApprovals = (needsApproval: (call: ToolCall) => boolean = () => true) => {
  const decisions = new Map<string, Decision>()
  const made: string[] = []
  const sessions: ToolSession[] = []
  const idByArguments = (call: ToolCall) => `appr_${JSON.stringify(call.arguments)}`
  /** The calls that were checked anew. */
  const asked: string[] = []
  /** Runs before it is looked whether an approval is decided. */
  let before: (approvalId: string) => Promise<void> = async () => undefined
  const check = (call: ToolCall): Decision => {
    if (!needsApproval(call)) return 'approved'
    const id = idByArguments(call)
    if (!decisions.has(id)) decisions.set(id, 'pending')
    return decisions.get(id) ?? 'pending'
  }
  const openTools = (session: ToolSession): Toolbox => {
    sessions.push(session)
    const ask = async (call: ToolCall) => {
      asked.push(idByArguments(call))
      return check(call) === 'pending' ? pendingOn(idByArguments(call)) : undefined
    }
    const isDecided = async (approvalId: string) => {
      await before(approvalId)
      return decisions.get(approvalId) !== 'pending'
    }
    return fakeToolbox(
      async (call, _signal, { isChecked } = {}) => {
        if (!isChecked) asked.push(idByArguments(call))
        const decision = check(call)
        if (decision === 'pending') return pendingOn(idByArguments(call))
        if (decision === 'denied')
          return { content: 'Denied: not today', failed: true, decision, durationMs: 1 }
        made.push(idByArguments(call))
        return { content: `done ${JSON.stringify(call.arguments)}`, failed: false, decision, durationMs: 1.4 }
      },
      { ask, isDecided },
    )
  }
  return {
    openTools,
    made,
    sessions,
    asked,
    idByArguments,
    decide: (id: string, decision: Decision) => void decisions.set(id, decision),
    pause: (work: typeof before) => {
      before = work
    },
  }
}

const write = (n: number) => ({ name: 'write', arguments: { n } })
const calls = (...numbers: number[]): ScriptedStep => ({ calls: numbers.map(write) })
const refusal = async (call: Promise<unknown>) =>
  call.then(
    (answer) => `answered ${JSON.stringify(answer)}`,
    (thrown) => (thrown as Problem).code,
  )

describe('a turn with tools', () => {
  it('shows its calls with their results, in the workspace of its conversation, and remembers them', async () => {
    const models = createScriptedModels([calls(1), calls(2), { text: 'Both are done.' }, { text: 'I did.' }])
    const { openTools, sessions } = createApprovals(() => false)
    const { begin, send } = world().process({ models, openTools })
    const id = await begin()
    const answer = await send.sendWithTools(ANN, id, { content: 'Do both', securityMode: 'full' })
    expect(answer.assistantMessage).toMatchObject({
      content: 'Both are done.',
      toolCalls: [
        {
          name: 'write',
          arguments: { n: 1 },
          result: 'done {"n":1}',
          status: 'success',
          duration: 1,
          step: 1,
        },
        {
          name: 'write',
          arguments: { n: 2 },
          result: 'done {"n":2}',
          status: 'success',
          duration: 1,
          step: 2,
        },
      ],
    })
    expect(answer.usage.totalTokens).toBe(45)
    expect(answer).not.toHaveProperty('pendingApprovals')
    expect(sessions[0]).toMatchObject({
      mode: 'full',
      userId: ANN.userId,
      conversationId: id,
      workspace: { root: `/${id}` },
    })
    await send.send(ANN, id, { content: 'What did you do?' })
    const told = models.requests[3]?.messages.map(({ role }) => role)
    expect(told).toEqual(['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant', 'user'])
  })

  it('makes five roundtrips and no more, and still answers', async () => {
    const steps = Array.from({ length: 5 }, (_, n) => calls(n + 1))
    const models = createScriptedModels([...steps, { ...calls(6), text: 'That is all.' }])
    const { openTools, made } = createApprovals(() => false)
    const { begin, send } = world().process({ models, openTools })
    const answer = await send.sendWithTools(ANN, await begin(), { content: 'Go', securityMode: 'full' })
    expect(made).toHaveLength(5)
    expect(answer.assistantMessage.content).toBe('That is all.')
    expect(models.requests.map(({ toolChoice }) => toolChoice)).toEqual([...Array(5), 'none'])
    expect(answer.assistantMessage.toolCalls?.map(({ status, step }) => [status, step])).toEqual(
      [1, 2, 3, 4, 5].map((step) => ['success', step]),
    )
  })

  it('that fails keeps what it said and the calls that it made', async () => {
    let asked = 0
    const scripted = createScriptedModels([{ ...calls(1), text: 'First this.' }])
    const models = {
      ...scripted,
      step: (request: Parameters<typeof scripted.step>[0]) => {
        asked += 1
        if (asked > 1) throw new Problem('unavailable', 'provider_error', 'down')
        return scripted.step(request)
      },
    }
    const { openTools } = createApprovals(() => false)
    const { begin, send, read } = world().process({ models, openTools })
    const id = await begin()
    expect(await refusal(send.sendWithTools(ANN, id, { content: 'Go' }))).toBe('provider_error')
    expect((await read(id))[1]).toMatchObject({
      content: 'First this.',
      toolCalls: [{ arguments: { n: 1 }, status: 'success' }],
      error: { code: 'provider_error' },
      usage: { totalTokens: 15 },
    })
  })
})

describe('a turn that waits for approval', () => {
  const started = async (script: ScriptedStep[], decided = createApprovals()) => {
    const models = createScriptedModels(script)
    const process = world().process({ models, openTools: decided.openTools })
    const id = await process.begin()
    const answer = await process.send.sendWithTools(ANN, id, { content: 'Do it' })
    return { ...process, ...decided, models, id, answer }
  }

  it('says what it waits for, and goes on in another process once that is decided', async () => {
    const { answer, id, send, models, openTools, decide, made, idByArguments } = await started([
      calls(1, 2),
      { text: 'Done, but for one.' },
    ])
    const [first, second] = [1, 2].map((n) => idByArguments({ id: '', ...write(n) }))
    expect(answer.pendingApprovals).toEqual([
      { id: first, toolCallId: 'call_1_0', toolName: 'write', params: { n: 1 } },
      { id: second, toolCallId: 'call_1_1', toolName: 'write', params: { n: 2 } },
    ])
    expect(answer.assistantMessage.toolCalls?.map(({ status }) => status)).toEqual(['pending', 'pending'])
    expect(await refusal(send.send(ANN, id, { content: 'And?' }))).toBe('approval_pending')
    const restarted = world().process({ models, openTools })
    decide(String(first), 'approved')
    await restarted.turns.resume({ conversationId: id })
    const between = (await restarted.read(id))[1]
    expect(between?.toolCalls?.map(({ status }) => status)).toEqual(['success', 'pending'])
    decide(String(second), 'denied')
    // A decision may be heard of several times.
    for (let n = 0; n < 3; n++) await restarted.turns.resume({ conversationId: id })
    const messages = await restarted.read(id)
    expect(messages).toHaveLength(2)
    expect(messages[1]).toMatchObject({
      id: answer.assistantMessage.id,
      content: 'Done, but for one.',
      toolCalls: [{ status: 'success' }, { status: 'error', result: 'Denied: not today' }],
      usage: { totalTokens: 30 },
    })
    expect(made).toEqual([first])
    expect(models.requests).toHaveLength(2)
    const results = models.requests[1]?.messages.filter(
      (one): one is Extract<ModelMessage, { role: 'tool' }> => one.role === 'tool',
    )
    expect(results?.map(({ callId, failed }) => [callId, failed])).toEqual([
      ['call_1_0', false],
      ['call_1_1', true],
    ])
    await restarted.send.send(ANN, id, { content: 'Thanks' })
  })

  it('goes on at once when the decision came before it was stored', async () => {
    const decided = createApprovals()
    decided.pause(async (approvalId) => decided.decide(approvalId, 'approved'))
    const { answer } = await started([calls(1), { text: 'Done.' }], decided)
    expect(answer.assistantMessage.content).toBe('Done.')
    expect(answer).not.toHaveProperty('pendingApprovals')
  })

  it('goes on at once when the decision came while it was stored', async () => {
    const decided = createApprovals()
    const models = createScriptedModels([calls(1), { text: 'Done.' }])
    const process = world().process({ models, openTools: decided.openTools })
    const id = await process.begin()
    let looks = 0
    decided.pause(async (approvalId) => {
      looks += 1
      if (looks > 1) return decided.decide(approvalId, 'approved')
      // This look finds nothing. The message of the decision comes, and the next look is only taken because of it.
      const resumed = process.turns.resume({ conversationId: id })
      await expect(resumed).rejects.toMatchObject({ code: 'turn_under_way' })
    })
    const answer = await process.send.sendWithTools(ANN, id, { content: 'Do it' })
    expect(answer.assistantMessage.content).toBe('Done.')
    expect([decided.made.length, looks]).toEqual([1, 2])
  })

  it('has each call checked once, however often it goes on', async () => {
    const numbers = [1, 2, 3, 4, 5]
    const { id, turns, decide, asked, made, read, idByArguments } = await started([
      calls(...numbers),
      { text: 'Done.' },
    ])
    const ids = numbers.map((n) => idByArguments({ id: '', ...write(n) }))
    // The order of the decisions is not that of the calls.
    for (const approvalId of [...ids.slice(1), ids[0] ?? '']) {
      decide(approvalId, 'approved')
      await turns.resume({ conversationId: id })
    }
    expect([asked, made]).toEqual([ids, ids])
    expect((await read(id))[1]?.content).toBe('Done.')
  })

  it('is continued by one process, though several hear of the decision', async () => {
    const { id, turns, decide, made, read, idByArguments } = await started([calls(1), { text: 'Done.' }])
    const approvalId = idByArguments({ id: '', ...write(1) })
    decide(approvalId, 'approved')
    await Promise.all([1, 2, 3].map(() => turns.resume({ conversationId: id })))
    expect(made).toEqual([approvalId])
    expect((await read(id))[1]?.content).toBe('Done.')
  })

  it('that is never decided on ends with the reason, and lets the conversation go on', async () => {
    const { id, send, read } = await started([calls(1), { text: 'Something else.' }])
    world().clock.advance(3_600_000)
    await send.send(ANN, id, { content: 'Never mind' })
    const [, waiting, , last] = await read(id)
    expect(waiting).toMatchObject({ error: { code: 'approval_expired' }, toolCalls: [{ status: 'error' }] })
    expect(last?.content).toBe('Something else.')
  })

  it.each<[by: string, next: (one: Process, id: string) => Promise<unknown>]>([
    ['message', ({ send }, id) => send.send(ANN, id, { content: 'Hello?' })],
    ['decision', ({ turns }, id) => turns.resume({ conversationId: id })],
  ])(
    'whose process dies after a call is over with the next %s, and the call is made once',
    async (_by, next) => {
      const { id, send, read, openTools, decide, made, idByArguments } = await started([
        calls(1),
        { text: 'Else.' },
      ])
      decide(idByArguments({ id: '', ...write(1) }), 'approved')
      let isDead = false
      const dying = world().process({
        models: createScriptedModels([{ text: 'Never heard' }]),
        openTools: (session) => {
          const toolbox = openTools(session)
          const call: Toolbox['call'] = async (...given) => {
            const outcome = await toolbox.call(...given)
            isDead = true
            return outcome
          }
          return { ...toolbox, call }
        },
        wrapStore: (store) =>
          ({
            ...store,
            commit: async (...given: Parameters<typeof store.commit>) => {
              if (isDead) throw new Error('the power is gone')
              return store.commit(...given)
            },
          }) as typeof store,
      })
      await expect(dying.turns.resume({ conversationId: id })).rejects.toThrow('the power is gone')
      const other = world().process({ models: createScriptedModels([{ text: 'Else.' }]), openTools })
      expect(await refusal(next(other, id))).toBe('turn_under_way')
      world().clock.advance(60_000)
      await next(other, id)
      expect((await read(id))[1]).toMatchObject({
        error: { code: 'interrupted' },
        toolCalls: [{ status: 'error' }],
      })
      expect(made).toHaveLength(1)
      await send.send(ANN, id, { content: 'And now?' })
    },
  )
})
