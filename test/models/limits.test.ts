import { describe, expect, it } from '@jest/globals'
import { createEmbedding } from '../../lib/adapters/models/embedding.ts'
import { createModels } from '../../lib/adapters/models/models.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { answeringFetch, frames } from '../fakes/answering-fetch.ts'
import { answer, ask, failure, tool } from '../fakes/model-steps.ts'
import { chunk } from '../fakes/model-wire.ts'

const MIB = 1_048_576
const mebibyte = 'x'.repeat(MIB)

/** Endless pieces, until the reader leaves. */
function* endless(first: string, piece: string) {
  yield first
  for (;;) yield piece
}

const openModels = (kind: string, fetch: typeof globalThis.fetch) =>
  createModels({
    settings: {
      providers: { [kind]: { apiKey: 'planted-key', baseUrl: 'http://provider.test/v1', model: 'm' } },
      retries: 0,
    },
    clock: createClock(),
    fetch,
  })

const call = (index: number, id: string, name = 'read_file', args = '{}') =>
  chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }] })
const delta = (index: number, partial_json: string) => ({
  type: 'content_block_delta',
  index,
  delta: { type: 'input_json_delta', partial_json },
})
const toolUse = (index: number, id: string, name = 'read_file') => ({
  type: 'content_block_start',
  index,
  content_block: { type: 'tool_use', id, name, input: {} },
})
const functionCall = (id: string, name = 'read_file', arguments_ = '{}') => ({
  type: 'response.output_item.done',
  output_index: 0,
  item: { type: 'function_call', id: 'fc', call_id: id, name, arguments: arguments_ },
})
const gemini = (...parts: object[]) => ({ candidates: [{ content: { parts } }] })
const cohere = (id: string) => ({
  type: 'tool-call-start',
  delta: {
    message: { tool_calls: { id, type: 'function', function: { name: 'read_file', arguments: '' } } },
  },
})
const thousands = <T>(one: (n: number) => T): T[] => Array.from({ length: 5_000 }, (_, n) => one(n))
const long = 'a'.repeat(MIB)

type Hostile = [what: string, kind: string, pieces: () => Iterable<string>, mostRead: number]
const hostile: Hostile[] = [
  ['a line without an end', 'openai', () => endless('data: {"choices":"', mebibyte), 6 * MIB],
  ['an event of lines without an end', 'openai', () => endless('', `data: ${mebibyte}\n`), 6 * MIB],
  ['a document without an end', 'openai', () => endless('{"error":"', mebibyte), 6 * MIB],
  ['comments without an end', 'openai', () => endless('', `: ${mebibyte}\n`), 66 * MIB],
  [
    'pings without an end',
    'anthropic',
    () => endless('', `event: ping\ndata: {"x":"${mebibyte}"}\n\n`),
    66 * MIB,
  ],
  ['chunks of 30 MB', 'openai', () => endless('', frames(chunk({ content: long.repeat(30) }))), 31 * MIB],
  ['text without an end', 'openai', () => endless('', frames(chunk({ content: mebibyte }))), 10 * MIB],
  ['thinking without an end', 'groq', () => endless('', frames(chunk({ reasoning: mebibyte }))), 10 * MIB],
  [
    'arguments without an end',
    'openrouter',
    () => endless(frames(call(0, 'a')), frames(call(0, 'a', 'read_file', mebibyte))),
    10 * MIB,
  ],
  [
    'arguments without an end',
    'anthropic',
    () => endless(frames(toolUse(0, 'a')), frames(delta(0, mebibyte))),
    10 * MIB,
  ],
  [
    'signatures without an end',
    'anthropic',
    () =>
      endless(
        frames({ type: 'content_block_start', index: 0, content_block: { type: 'thinking' } }),
        frames({ type: 'content_block_delta', delta: { type: 'signature_delta', signature: mebibyte } }),
      ),
    10 * MIB,
  ],
  [
    'encrypted reasoning without an end',
    'xai',
    () =>
      endless(
        '',
        frames({
          type: 'response.output_item.done',
          item: { type: 'reasoning', id: 'r', encrypted_content: mebibyte },
        }),
      ),
    10 * MIB,
  ],
  ['text without an end', 'google', () => endless('', frames(gemini({ text: mebibyte }))), 10 * MIB],
  ['an id of 1 MB', 'openai', () => [frames(call(0, long))], 2 * MIB],
  ['an id of 129 characters', 'openai', () => [frames(call(0, 'i'.repeat(129)))], MIB],
  ['a name of 1 MB', 'openrouter', () => [frames(call(0, 'a', long))], 2 * MIB],
  ['an id of 1 MB', 'anthropic', () => [frames(toolUse(0, long))], 2 * MIB],
  ['a name of 1 MB', 'anthropic', () => [frames(toolUse(0, 'a', long))], 2 * MIB],
  ['an id of 1 MB', 'xai', () => [frames(functionCall(long))], 2 * MIB],
  [
    'an id of a part of 1 MB',
    'xai',
    () => [frames({ type: 'response.output_text.delta', item_id: long, delta: '' })],
    2 * MIB,
  ],
  ['an id of 1 MB', 'google', () => [frames(gemini({ functionCall: { id: long, name: 'a' } }))], 2 * MIB],
  ['an id of 1 MB', 'cohere', () => [frames(cohere(long))], 2 * MIB],
  ['5,000 calls', 'openai', () => [frames(...thousands((n) => call(n, `c${n}`)))], 8 * MIB],
  ['5,000 calls at one index', 'openrouter', () => [frames(...thousands((n) => call(0, `c${n}`)))], 8 * MIB],
  [
    '5,000 calls with one id at one index',
    'openai',
    () => [frames(...thousands(() => call(0, 'c')))],
    8 * MIB,
  ],
  ['5,000 calls without ids at one index', 'groq', () => [frames(...thousands(() => call(0, '')))], 8 * MIB],
  [
    '129 calls with one id at one index',
    'openrouter',
    () => [frames(...thousands(() => call(0, 'c')).slice(0, 129), chunk({}, 'tool_calls'))],
    8 * MIB,
  ],
  ['5,000 calls without ids', 'mistral', () => [frames(...thousands((n) => call(n, '')))], 8 * MIB],
  ['5,000 calls', 'anthropic', () => [frames(...thousands((n) => toolUse(n, `c${n}`)))], 8 * MIB],
  ['5,000 calls', 'xai', () => [frames(...thousands((n) => functionCall(`c${n}`)))], 8 * MIB],
  [
    '5,000 calls',
    'google',
    () => [frames(...thousands(() => gemini({ functionCall: { name: 'a', args: {} } })))],
    8 * MIB,
  ],
  ['5,000 calls', 'cohere', () => [frames(...thousands((n) => cohere(`c${n}`)))], 8 * MIB],
]

describe('a provider that sends', () => {
  it.each(hostile)('%s (%s) ends the step, and no more is read', async (_, kind, pieces, mostRead) => {
    const { fetch, counted } = answeringFetch(pieces)
    const { thrown } = await failure(openModels(kind, fetch), ask('Hi', { tools: [tool('read_file')] }))
    expect(thrown).toMatchObject({ code: 'provider_error', details: { reason: 'too_large' } })
    expect(thrown.message.length).toBeLessThan(200)
    expect(counted.read).toBeLessThanOrEqual(mostRead)
    expect(counted.isClosed).toBe(true)
  })

  it('an error answer without an end is read up to a limit', async () => {
    const { fetch, counted } = answeringFetch(() => endless('', mebibyte), { status: 500 })
    const { thrown } = await failure(openModels('openai', fetch), ask('Hi'))
    expect(thrown).toMatchObject({ details: { reason: 'status', status: 500 } })
    expect([counted.read <= 2 * MIB, counted.isClosed]).toEqual([true, true])
  })

  it.each([
    ['deep', `${'['.repeat(200)}${']'.repeat(200)}`],
    ['many', `[${'0,'.repeat(200_000)}0]`],
  ])('%s arguments passes them on as a text', async (_, json) => {
    const { fetch } = answeringFetch(() => [frames(call(0, 'a', 'read_file', json), chunk({}, 'tool_calls'))])
    const { finish } = await answer(openModels('openai', fetch), ask('Hi', { tools: [tool('read_file')] }))
    expect(finish.message.toolCalls?.[0]?.arguments).toEqual(expect.any(String))
    expect(finish.message.opaque).toBeUndefined()
  })

  it('128 calls, and ids and names of 128 characters, is read', async () => {
    const calls = Array.from({ length: 128 }, (_, n) => call(n, `${n}`.padEnd(128, 'i'), 'n'.repeat(128)))
    const { fetch } = answeringFetch(() => [frames(...calls, chunk({}, 'tool_calls'))])
    const { finish } = await answer(openModels('openai', fetch), ask('Hi'))
    expect(finish.message.toolCalls).toHaveLength(128)
  })

  it('a delta of 3 MB passes it on in pieces', async () => {
    const text = '€'.repeat(MIB)
    const { fetch } = answeringFetch(() => [frames(chunk({ content: text }), chunk({}, 'stop'))])
    const { parts, finish } = await answer(openModels('openai', fetch), ask('Hi'))
    const longest = Math.max(...parts.map((part) => (part.type === 'text' ? part.text.length : 0)))
    expect(longest).toBeLessThanOrEqual(16_384)
    expect(finish.message.content).toBe(text)
  })
})

describe('an embedding model', () => {
  it.each<[string, () => Iterable<string>]>([
    ['an answer without an end', () => endless('{"data":[', ' '.repeat(MIB))],
    [
      'a vector of a million dimensions',
      () => [JSON.stringify({ data: [{ embedding: Array(1e6).fill(1) }] })],
    ],
  ])('that sends %s has failed', async (_, pieces) => {
    const { fetch, counted } = answeringFetch(pieces)
    const settings = { providers: { openai: { apiKey: 'planted-key' } } }
    const embedding = createEmbedding({ settings, model: 'openai/e', clock: createClock(), fetch })
    await expect(embedding.embed(['a'], new AbortController().signal)).rejects.toMatchObject({
      code: 'provider_error',
    })
    expect(counted.read).toBeLessThan(34 * MIB)
  })
})
