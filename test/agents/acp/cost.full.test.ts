import { brotliCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type Answer, openScriptedProvider } from '../../fakes/scripted-provider.ts'
import type { Act } from '../../fixtures/acp/agent.ts'
import { type AcpRuns, openAcpRuns, openModels, price, texts } from './acp-runs.ts'

let acp: AcpRuns
const open: AcpRuns['open'] = (...given) => acp.open(...given)
beforeAll(async () => {
  acp = await openAcpRuns()
})
afterAll(() => acp[Symbol.asyncDispose]())

describe('the cost of a run over ACP', () => {
  const call: Act = { act: 'model' }

  it.each<[string, string, Act[], object]>([
    ['the prices of its calls', 'claude-x', [call, call], { usd: 6, source: 'price' }],
    [
      'what the program states',
      'claude-x',
      [call, { act: 'cost', usd: 3.5 }],
      { usd: 3.5, source: 'provider' },
    ],
    [
      'the prices where the program states less',
      'claude-x',
      [call, { act: 'cost', usd: 0.5 }],
      { usd: 3, source: 'price' },
    ],
    [
      'the prices where the program states 0',
      'claude-x',
      [call, { act: 'cost', usd: 0 }],
      { usd: 3, source: 'price' },
    ],
    ['unknown for a model without a price', 'own-model', [call], { usd: null, source: 'unknown' }],
    ['unknown where nothing is said', 'claude-x', [], { usd: null, source: 'unknown' }],
  ])('is %s', async (_title, model, script, cost) => {
    await using models = await openModels(model)
    const { result, costs } = open(script, { needs: { brokered: models.brokered } })
    expect(await result).toMatchObject({ success: true, cost })
    expect(costs.at(-1)).toEqual(script.length > 0 ? cost : undefined)
  })

  it('of a model without a price is no part of its limit, which is said', async () => {
    await using models = await openModels('own-model')
    const { result, progress } = open([call, call], {
      costLimitUsd: 1,
      needs: { brokered: models.brokered },
    })
    expect(await result).toMatchObject({ success: true })
    expect(progress.filter((text) => text.includes('own-model has no known price'))).toHaveLength(1)
  })

  it.each<[string, Answer, string, object]>([
    [
      'a stream that is cut',
      (_, response) => {
        const first =
          'data: {"type":"message_start","message":{"model":"claude-x","usage":{"input_tokens":1000000}}}\n\n'
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(first)
        setImmediate(() => response.destroy())
      },
      'nothing',
      { usd: 3, source: 'unknown' },
    ],
    [
      'an answer without usage',
      (_, response) => void response.end('{"model":"claude-x"}'),
      'answered 200',
      { usd: null, source: 'unknown' },
    ],
    [
      'a compressed answer',
      (_, response) => {
        const body = JSON.stringify({ model: 'claude-x', usage: { input_tokens: 1_000_000 } })
        response.writeHead(200, { 'content-encoding': 'br' }).end(brotliCompressSync(body))
      },
      'answered 200',
      { usd: 3, source: 'price' },
    ],
  ])('is known as far as it was read: %s', async (_title, answer, said, cost) => {
    await using models = await openScriptedProvider(answer, { price })
    const { result, costs, observed } = open([call], { needs: { brokered: models.brokered } })
    await result.catch(() => undefined)
    expect(texts(observed)).toContain(said)
    expect(costs.at(-1)).toEqual(cost)
  })

  it('is that of the calls of each of two runs at once', async () => {
    await using models = await openModels()
    const needs = { brokered: models.brokered }
    const both = [[call], [call, call]].map((script) => open(script, { needs }).result)
    expect((await Promise.all(both)).map(({ cost }) => cost)).toEqual([
      { usd: 3, source: 'price' },
      { usd: 6, source: 'price' },
    ])
  })

  it.each([-5, Number.POSITIVE_INFINITY, 0])('is not what the program states of %p dollars', async (usd) => {
    await using models = await openModels()
    const { result } = open([call, { act: 'cost', usd }], { needs: { brokered: models.brokered } })
    expect(await result).toMatchObject({ cost: { usd: 3, source: 'price' } })
  })

  it('is told for a run that fails', async () => {
    await using models = await openModels()
    const { result, costs } = open([call, { act: 'exit', code: 1 }], { needs: { brokered: models.brokered } })
    await expect(result).rejects.toMatchObject({ code: 'agent_exited' })
    expect(costs.at(-1)).toEqual({ usd: 3, source: 'price' })
  })
})
