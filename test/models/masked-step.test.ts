import { describe, expect, it } from '@jest/globals'
import { createModels } from '../../lib/adapters/models/models.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { createMasker } from '../../lib/core/masker.ts'
import { answeringFetch, frames } from '../fakes/answering-fetch.ts'
import { answer, ask, failure } from '../fakes/model-steps.ts'
import { chunk } from '../fakes/model-wire.ts'

const SECRET = 'planted+canary/0123456789?'
const FORMS = [
  SECRET,
  Buffer.from(SECRET).toString('base64'),
  Buffer.from(SECRET).toString('base64url'),
  Buffer.from(SECRET).toString('hex'),
]

const models = (kind: string, ...events: readonly unknown[]) =>
  createModels({
    settings: {
      providers: { [kind]: { apiKey: 'planted-key', baseUrl: 'http://provider.test/v1', model: 'm' } },
      retries: 0,
    },
    clock: createClock(),
    fetch: answeringFetch(() => [frames(...events)]).fetch,
    masker: createMasker([SECRET]),
  })

const call = (id: string, name: string, args: string, index = 0) =>
  chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }] })

describe.each(FORMS)('the secret %s', (form) => {
  const half = form.slice(0, 12)
  const rest = form.slice(12)

  it.each<[string, readonly unknown[]]>([
    ['text', [chunk({ content: `It is ${form}.` })]],
    ['deltas of text', [...form].map((content) => chunk({ content }))],
    [
      'deltas of text with thinking between them',
      [chunk({ content: half }), chunk({ reasoning: 'Hm.' }), chunk({ content: rest })],
    ],
    ['thinking', [chunk({ content: 'A' }), chunk({ reasoning: half }), chunk({ reasoning: rest })]],
    ['the id of a call', [call(form, 'read_file', '{}')]],
    ['the name of a call', [call('a', form, '{}')]],
    ['the arguments of a call', [call('a', 'read_file', JSON.stringify({ deep: [{ path: form }] }))]],
    ['a key of arguments', [call('a', 'read_file', JSON.stringify({ [form]: 1 }))]],
    ['malformed arguments', [call('a', 'read_file', `{"path": ${form}`)]],
    ['the id and the model of an answer', [{ ...chunk({ content: 'Hi' }), id: form, model: form }]],
  ])('in %s is in no part of the step', async (_, events) => {
    const port = models('openrouter', ...events, chunk({}, 'stop'))
    expect(JSON.stringify((await answer(port, ask('Hi'))).parts)).not.toContain(form)
    const { text, reasoning, finish } = await answer(port, ask('Hi'))
    expect(`${text}${reasoning}${finish.message.content}`).not.toContain(form)
  })

  it.each<[string, readonly unknown[]]>([
    ['an error', [{ error: { message: `No ${form}` } }]],
    ['a code', [{ error: { message: '', code: form, type: form } }]],
    ['an error after a half of it', [chunk({ content: half }), { error: form }]],
  ])('in %s is in no error', async (_, events) => {
    const { thrown, before } = await failure(models('openrouter', ...events), ask('Hi'))
    expect(JSON.stringify([thrown.message, thrown.details, before])).not.toContain(form)
  })

  it('in signed thinking leaves the signed form of the message out', async () => {
    const events = [
      { type: 'message_start', message: {} },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: form } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: form } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
      { type: 'message_stop' },
    ]
    const { finish } = await answer(models('anthropic', ...events), ask('Hi'))
    expect(finish.message.opaque).toBeUndefined()
  })
})

describe('calls whose ids are masked', () => {
  it('keep different ids', async () => {
    const calls = [call(`${SECRET}`, 'a', '{}', 0), call(`x`, 'b', '{}', 1), call('[masked]', 'c', '{}', 2)]
    const port = models('openrouter', ...calls, chunk({}, 'tool_calls'))
    const { finish } = await answer(port, ask('Hi'))
    const ids = finish.message.toolCalls?.map(({ id }) => id) ?? []
    expect(ids).toHaveLength(3)
    expect(new Set(ids).size).toBe(3)
    expect(finish.message.opaque).toBeUndefined()
  })
})

describe('an answer without secrets', () => {
  it('is passed on as it is', async () => {
    const port = models(
      'openrouter',
      chunk({ content: 'Hello' }),
      call('a', 'b', '{"c":1}'),
      chunk({}, 'stop'),
    )
    const { parts, finish } = await answer(port, ask('Hi'))
    const toolCalls = [{ id: 'a', name: 'b', arguments: { c: 1 } }]
    expect(parts.slice(0, 2)).toEqual([
      { type: 'text', text: 'Hello' },
      { type: 'tool-call', call: toolCalls[0] },
    ])
    expect(finish.message).toMatchObject({ content: 'Hello', toolCalls, opaque: { provider: 'openrouter' } })
  })
})
