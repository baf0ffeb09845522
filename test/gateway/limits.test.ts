import { describe, expect, it } from '@jest/globals'
import type { Principal } from '../../lib/core/principal.ts'
import { OTHER, type StartedGateway, startGateway, TOKEN } from './gateway.ts'

const task = { title: 'T' }

/** So many requests, spread over time as asked; their statuses. */
const send = async (
  gateway: StartedGateway,
  count: number,
  everyMs: number,
  more: { as?: Principal } = {},
) => {
  const answers: Awaited<ReturnType<StartedGateway['submit']>>[] = []
  for (let n = 0; n < count; n++) {
    answers.push(await gateway.submit({ task }, more))
    gateway.clock.advance(everyMs)
  }
  return answers
}
const refused = (answers: readonly { status: number }[]) =>
  answers.flatMap(({ status }, at) => (status === 429 ? [at + 1] : []))

describe('the limit of a token', () => {
  it('refuses the eleventh request within a second, and says for how long', async () => {
    await using gateway = await startGateway({ background: false })
    const answers = await send(gateway, 11, 10)
    expect(refused(answers)).toEqual([11])
    expect(answers[10]).toMatchObject({
      headers: { 'retry-after': '1' },
      body: { code: 'rate_limited', error: expect.stringContaining('10 a second') },
    })
    gateway.clock.advance(1_000)
    expect(refused(await send(gateway, 1, 0))).toEqual([])
  })

  it('refuses the sixty-first request within a minute', async () => {
    await using gateway = await startGateway({ background: false })
    const answers = await send(gateway, 61, 200)
    expect(refused(answers)).toEqual([61])
    expect(answers[60]?.headers['retry-after']).toBe('48')
    gateway.clock.advance(48_000)
    expect(refused(await send(gateway, 1, 0))).toEqual([])
  })

  it('counts what it refuses, and requests that do not fit their schema', async () => {
    await using gateway = await startGateway({ background: false, env: { GATEWAY_RATE_LIMIT_RPM: '3' } })
    expect((await gateway.submit({})).status).toBe(400)
    expect((await gateway.call('POST /api/gateway', { as: TOKEN, body: '{' })).status).toBe(400)
    expect(refused(await send(gateway, 3, 1_000))).toEqual([2, 3])
  })

  it('is the one of the environment, or the token’s own', async () => {
    await using gateway = await startGateway({ background: false, env: { GATEWAY_RATE_LIMIT_RPM: '5' } })
    expect(refused(await send(gateway, 6, 200))).toEqual([6])
    const own = { ...OTHER, callsPerMinute: 2 }
    expect(refused(await send(gateway, 3, 200, { as: own }))).toEqual([3])
    const wide = { ...OTHER, tokenId: 'tok_wide', callsPerMinute: 8 }
    expect(refused(await send(gateway, 9, 200, { as: wide }))).toEqual([9])
  })

  it('is of one token: another of the same user has its own', async () => {
    await using gateway = await startGateway({ background: false })
    await send(gateway, 11, 10)
    expect(refused(await send(gateway, 1, 0, { as: { ...TOKEN, tokenId: 'tok_second' } }))).toEqual([])
  })

  it('does not count how often the status is read', async () => {
    await using gateway = await startGateway({ background: false })
    const { body } = await gateway.submit({ task })
    const reads = await Promise.all(Array.from({ length: 100 }, () => gateway.status(body.requestId)))
    expect(new Set(reads.map(({ status }) => status))).toEqual(new Set(['queued']))
    expect(refused(await send(gateway, 9, 0))).toEqual([])
  })
})
