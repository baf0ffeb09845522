import { describe, expect, it } from '@jest/globals'
import { createModels } from '../../lib/adapters/models/models.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { isPromptTooLong } from '../../lib/core/context-window.ts'
import type { Clock } from '../../lib/ports/clock.ts'
import { answeringFetch, frames } from '../fakes/answering-fetch.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { answer, ask, failure, tool } from '../fakes/model-steps.ts'
import { chunk } from '../fakes/model-wire.ts'

const target = { provider: 'openai', model: 'm' }
const models = (body: string, status = 400, clock: Clock = createClock()) =>
  createModels({
    settings: {
      providers: { openai: { apiKey: 'planted-key', baseUrl: 'http://provider.test/v1', model: 'm' } },
      retries: 0,
    },
    clock,
    fetch: answeringFetch(() => [body], { status }).fetch,
  })
const error = (message: string, more = {}) => JSON.stringify({ error: { message, ...more } })

describe('the context window of a model', () => {
  it.each<[string, number, string]>([
    [
      "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
      8_192,
      'context_length_exceeded',
    ],
    ['prompt is too long: 210000 tokens > 100000 maximum', 100_000, 'invalid_request_error'],
    [
      'input length and `max_tokens` exceed context limit: 90000 + 20000 > 100000, decrease input length',
      100_000,
      '',
    ],
    ['The input token count (120) exceeds the maximum number of tokens allowed (5000).', 5_000, ''],
    ["This model's maximum prompt length is 8192 but the request contains 9000 tokens.", 8_192, ''],
    ['Your request exceeded model token limit: 8192', 8_192, 'invalid_request_error'],
    [
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 9000 `inputs` tokens and 512 `max_new_tokens`',
      8_192,
      '',
    ],
    ['Input validation error: `inputs` must have less than 8192 tokens. Given: 9000', 8_192, ''],
    [
      'Prompt contains 9000 tokens and 0 draft tokens, too large for model with 8192 maximum context length',
      8_192,
      '3051',
    ],
    ['too many tokens: total number of tokens in the prompt cannot exceed 8192 - received 9000', 8_192, ''],
    [
      'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 9000 >= n_ctx: 8192).',
      8_192,
      '',
    ],
    ['the request exceeds the available context size (4096 tokens), try increasing it', 4_096, ''],
  ])('is learned from: %s', async (message, window, code) => {
    const port = models(error(message, { code }))
    const { thrown } = await failure(port, ask('Hi'))
    expect(isPromptTooLong(thrown)).toBe(true)
    expect(port.contextTokens(target)).toBe(window)
    expect(port.contextTokens({ ...target, model: 'other' })).toBe(128_000)
  })

  it.each([
    [
      'a body that names it',
      error('Too long', { type: 'exceed_context_size_error', n_ctx: 4_096 }),
      400,
      4_096,
    ],
    ['a refusal that names none', error('', { code: 'context_length_exceeded' }), 400, 12_291],
    ['a body that is too large for a proxy', '', 413, 12_291],
  ])('is learned from %s', async (_, body, status, window) => {
    const port = models(body, status)
    await failure(port, ask('Hi'))
    expect(port.contextTokens(target)).toBe(window)
  })

  it('grows smaller with each refusal, but not below 1,024', async () => {
    const port = models(error('', { code: 'context_length_exceeded' }))
    const windows = []
    for (let n = 0; n < 20; n += 1) {
      await failure(port, ask('Hi'))
      windows.push(port.contextTokens(target))
    }
    expect(windows).toEqual([...windows].sort((a, b) => b - a))
    expect(windows.at(-1)).toBe(1_024)
  })

  it('is the stated one again ten minutes after the last refusal', async () => {
    const clock = createFakeClock()
    const port = models(error('', { code: 'context_length_exceeded' }), 400, clock)
    await failure(port, ask('Hi'))
    clock.advance(599_999)
    expect(port.contextTokens(target)).toBe(12_291)
    clock.advance(1)
    expect(port.contextTokens(target)).toBe(128_000)
  })

  it('is not learned from another refusal', async () => {
    const port = models(error('No such parameter: max_tokens > 100'))
    await failure(port, ask('Hi'))
    expect(port.contextTokens(target)).toBe(128_000)
  })
})

describe('an answer that its output limit ends inside a call', () => {
  const begun = {
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'tool_use', id: 'c1', name: 'write_file' },
  }
  const delta = {
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'input_json_delta', partial_json: '{"pa' },
  }
  const end = [{ type: 'message_delta', delta: { stop_reason: 'max_tokens' } }, { type: 'message_stop' }]
  const call = chunk({
    tool_calls: [
      { index: 0, id: 'c1', type: 'function', function: { name: 'write_file', arguments: '{"pa' } },
    ],
  })
  it.each([
    ['openai', [call, chunk({}, 'length')]],
    ['openrouter', [call, chunk({}, 'length')]],
    ['anthropic', [{ type: 'message_start', message: {} }, begun, delta, ...end]],
  ])('has the call (%s)', async (kind, events) => {
    const port = createModels({
      settings: {
        providers: { [kind]: { apiKey: 'planted-key', baseUrl: 'http://provider.test/v1', model: 'm' } },
        retries: 0,
      },
      clock: createClock(),
      fetch: answeringFetch(() => [frames(...events)]).fetch,
    })
    const { finish } = await answer(port, ask('Hi', { tools: [tool('write_file')] }))
    expect(finish).toMatchObject({
      reason: 'length',
      message: { toolCalls: [{ id: 'c1', name: 'write_file', arguments: '{"pa' }] },
    })
  })
})
