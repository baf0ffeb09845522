import { describe, expect, it } from '@jest/globals'
import { createModels } from '../../lib/adapters/models/models.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { forEachTest } from '../fakes/lifetimes.ts'
import { answer, ask } from '../fakes/model-steps.ts'
import { events, type Reply, startWire } from '../fakes/model-wire.ts'

const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] }
const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'gpt-5.4' }
const begun = [
  { type: 'response.created', response },
  { type: 'response.output_item.added', output_index: 0, item },
  { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: 'Hello' },
]
const ended = [
  { type: 'response.output_item.done', output_index: 0, item: { ...item, status: 'completed' } },
  { type: 'response.completed', response: { ...response, usage: { input_tokens: 5, output_tokens: 3 } } },
]

const wire = forEachTest(startWire, ({ close }) => close())

/** Sends calls of the vendor's own host to the fake. */
const diverted: typeof fetch = (input, init) =>
  fetch(String(input).replace('https://api.openai.com', wire().origin), init)

const models = (settings: { baseUrl?: string }, ...replies: Reply[]) => {
  wire().replies.push(...replies)
  const openai = { apiKey: 'sk-x', ...settings }
  const needs = { clock: createClock(), fetch: diverted }
  return createModels({ settings: { providers: { openai }, retries: 0 }, ...needs })
}

describe('OpenAI', () => {
  it('is spoken to by its Responses API, and keeps nothing', async () => {
    const { text, finish } = await answer(
      models({}, events(...begun, ...ended)),
      ask('Hi', { effort: 'max' }),
    )
    expect(text).toBe('Hello')
    expect(finish.usage).toEqual({
      promptTokens: 5,
      completionTokens: 3,
      totalTokens: 8,
      cost: { usd: null, source: 'unknown' },
    })
    expect(wire().heard[0]).toMatchObject({
      path: '/v1/responses',
      headers: { authorization: 'Bearer sk-x' },
      body: {
        model: 'gpt-5.4',
        store: false,
        include: ['reasoning.encrypted_content'],
        reasoning: { effort: 'xhigh' },
        max_output_tokens: 16_384,
      },
    })
  })
})
