import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type Answer, openScriptedProvider, PROVIDER_KEY } from '../../fakes/scripted-provider.ts'
import type { Act } from '../../fixtures/acp/agent.ts'
import { type AcpRuns, openAcpRuns, texts, write } from './acp-runs.ts'

let acp: AcpRuns
const open: AcpRuns['open'] = (...given) => acp.open(...given)
beforeAll(async () => {
  acp = await openAcpRuns()
})
afterAll(() => acp[Symbol.asyncDispose]())

describe('a run over ACP whose last call of a model failed', () => {
  const refusal = (status: number, message: string, headers: Record<string, string> = {}): Answer => {
    const body = JSON.stringify({ type: 'error', error: { type: 'error', message } })
    return (_, response) =>
      void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  }
  const inAnHour = { 'anthropic-ratelimit-unified-reset': String(3_600) }

  it.each<[string, Answer, object]>([
    [
      '401',
      refusal(401, `invalid x-api-key ${PROVIDER_KEY}`),
      {
        code: 'provider_error',
        retryable: false,
        message: expect.stringMatching(/rejected the API key \(HTTP 401\): invalid x-api-key \[masked]$/),
      },
    ],
    [
      '429 with a reset',
      refusal(429, 'All used up', inAnHour),
      { code: 'rate_limited', retryable: true, refused: true, retryAfterMs: 3_600_000 },
    ],
    [
      '429 for seconds',
      refusal(429, 'Slow down', { 'retry-after': '20' }),
      { code: 'rate_limited', retryable: true, retryAfterMs: 20_000 },
    ],
    [
      '529',
      refusal(529, 'Overloaded', { 'retry-after': '30' }),
      { code: 'provider_error', retryable: true, retryAfterMs: 30_000 },
    ],
    [
      'a redirect to another host',
      refusal(307, 'Elsewhere', { location: 'http://127.0.0.1:9/v1/messages' }),
      {
        code: 'provider_error',
        retryable: true,
        message: expect.stringContaining('responded with a redirect (HTTP 307)'),
      },
    ],
    [
      'a connection that breaks',
      (incoming) => void incoming.socket.destroy(),
      { code: 'provider_error', retryable: true, message: expect.stringContaining('could not be reached') },
    ],
    [
      'an answer that is cut off',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {}\n\n')
        setImmediate(() => response.destroy())
      },
      {
        code: 'provider_error',
        retryable: true,
        message: expect.stringContaining('the connection was lost'),
      },
    ],
  ])('fails as the provider did, and shows the program no key: %s', async (_title, answer, failure) => {
    await using models = await openScriptedProvider(answer, { now: () => 0 })
    const script: Act[] = [{ act: 'model' }, { act: 'say', text: 'All done.' }]
    const { result, observed } = open(script, { needs: { brokered: models.brokered } })
    await expect(result).rejects.toMatchObject(failure)
    expect(texts(observed)).toContain('All done.')
    expect(JSON.stringify(observed)).not.toContain(PROVIDER_KEY)
  })

  /** Answers the first calls, and fails the others. */
  const answersOnly = (most: number): Answer => {
    let calls = 0
    return (incoming, response) => {
      calls += 1
      if (calls > most) return refusal(500, 'Broken')(incoming, response)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"model":"claude-x"}')
    }
  }
  const call: Act = { act: 'model' }
  const done: Act = { act: 'say', text: 'All done.' }

  it.each<[string, Act[], object]>([
    [
      'has ended well where its program says so',
      [call, write(), done, call],
      { success: true, filesChanged: [{ path: 'a.txt' }] },
    ],
    [
      'fails as the provider did where its program stopped',
      [call, call, { act: 'stop', reason: 'refusal' }],
      { code: 'provider_error' },
    ],
    [
      'fails as the provider did where its program died',
      [call, call, { act: 'exit', code: 1 }],
      { code: 'provider_error' },
    ],
    [
      'fails as the provider did where its program writes so as its answer',
      [call, write(), call, done],
      { code: 'provider_error' },
    ],
    [
      'fails as the provider did where its program stopped after a call',
      [call, done, write(), call],
      { code: 'provider_error' },
    ],
  ])('after others that were answered, %s', async (_how, script, expected) => {
    await using models = await openScriptedProvider(answersOnly(1), { now: () => 0 })
    const { result } = open(script, { needs: { brokered: models.brokered } })
    expect(await result.catch((failure: unknown) => failure)).toMatchObject(expected)
  })
})
