import { describe, expect, it } from '@jest/globals'
import { forEachTest } from '../fakes/lifetimes.ts'
import { createHangingModels, createScriptedModels } from '../fakes/scripted-models.ts'
import { turns as eventLoop, pass, until } from '../fakes/service.ts'
import { fakeToolbox } from '../fakes/toolbox.ts'
import { ANN, createWorld, type Process } from './world.ts'

const world = forEachTest(
  async () => createWorld(),
  (one) => one[Symbol.asyncDispose](),
)

const refusal = async (call: Promise<unknown>) =>
  call.then(
    () => 'answered',
    ({ kind, code }) => `${kind} ${code}`,
  )
const streamed = async (events: AsyncIterable<string>) => {
  let text = ''
  for await (const piece of events) text += piece
  return text
}

describe('a turn whose caller has lost its rights', () => {
  const messages = [{ role: 'user' as const, content: 'Hi' }]
  const kinds: [string, string, (one: Process, id: string) => Promise<unknown>][] = [
    [
      'without tools',
      'unauthenticated rights_ended',
      ({ send }, id) => send.send(ANN, id, { content: 'Hi' }),
    ],
    [
      'with tools',
      'unauthenticated rights_ended',
      ({ send }, id) => send.sendWithTools(ANN, id, { content: 'Hi', securityMode: 'full' }),
    ],
    [
      'as a completion',
      'unauthenticated rights_ended',
      ({ completions }, id) => completions.complete(ANN, { messages, stream: false, conversationId: id }),
    ],
    [
      'as a streamed completion',
      'answered',
      async ({ completions }, id) => {
        const body = { messages, stream: true, conversationId: id }
        expect(await streamed(await completions.stream(ANN, body))).toContain('"code":"rights_ended"')
      },
    ],
  ]

  it.each(kinds)(
    '%s ends within five seconds, whether or not its request is open',
    async (_kind, said, ask) => {
      let holds = true
      const one = world().process({ models: createHangingModels('Well, '), holdsRights: async () => holds })
      const id = await one.begin()
      let end = ''
      const asked = refusal(ask(one, id)).then((how) => (end = how))
      await pass(world().clock, 12_000)
      expect(end).toBe('')
      holds = false
      await pass(world().clock, 4_500)
      await asked
      expect(end).toBe(said)
      expect((await one.read(id)).at(-1)).toMatchObject({
        content: 'Well, ',
        error: { code: 'rights_ended' },
      })
    },
  )

  it('leaves no timer when it has ended', async () => {
    const one = world().process({ models: createScriptedModels([{ text: 'Here.' }]) })
    await one.send.send(ANN, await one.begin(), { content: 'Hi' })
    // Long enough for the search index, and too short for a look at rights.
    await pass(world().clock, 500)
    expect(world().clock.pending).toBe(0)
  })
})

describe('a turn that waited for an approval', () => {
  const waits = {
    content: 'x',
    failed: false,
    decision: 'pending' as const,
    durationMs: 1,
    approvalId: 'appr_1',
  }
  const runs = { content: 'done', failed: false, decision: 'approved' as const, durationMs: 1 }
  const steps = [{ calls: [{ name: 'write_file', arguments: {} }] }, { text: 'Written.' }]

  it('goes on after the session that began it has ended, since a person has just decided that', async () => {
    let isDecided = false
    const one = world().process({
      models: createScriptedModels(steps),
      holdsRights: async () => !isDecided,
      openTools: () =>
        fakeToolbox(async () => (isDecided ? runs : waits), { isDecided: async () => isDecided }),
    })
    const id = await one.begin()
    await one.send.sendWithTools(ANN, id, { content: 'Hi', securityMode: 'ask' })
    isDecided = true
    await one.turns.resume({ conversationId: id })
    expect((await one.read(id)).at(-1)).toMatchObject({ content: 'Written.' })
  })

  it('makes no call when its account was disabled meanwhile', async () => {
    let isDisabled = false
    let calls = 0
    const one = world().process({
      models: createScriptedModels(steps),
      isDisabled: async () => isDisabled,
      openTools: () =>
        fakeToolbox(async () => {
          if (isDisabled) calls += 1
          return isDisabled ? runs : waits
        }),
    })
    const id = await one.begin()
    await one.send.sendWithTools(ANN, id, { content: 'Hi', securityMode: 'ask' })
    isDisabled = true
    await one.turns.resume({ conversationId: id })
    expect(calls).toBe(0)
    expect((await one.read(id)).at(-1)).toMatchObject({ error: { code: 'rights_ended' } })
  })

  it('stops when its account is disabled while it goes on', async () => {
    let isDisabled = false
    let isDecided = false
    const one = world().process({
      models: createScriptedModels(steps),
      isDisabled: async () => isDisabled,
      openTools: () =>
        fakeToolbox(
          (_call, signal) =>
            isDecided
              ? new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
              : Promise.resolve(waits),
          { isDecided: async () => isDecided },
        ),
    })
    const id = await one.begin()
    await one.send.sendWithTools(ANN, id, { content: 'Hi', securityMode: 'ask' })
    isDecided = true
    const resumed = refusal(one.turns.resume({ conversationId: id }))
    await until(() => one.turns.isHere(id))
    await eventLoop()
    isDisabled = true
    await pass(world().clock, 4_500)
    expect(await resumed).toBe('unauthenticated rights_ended')
  })
})
