import { describe, expect, it } from '@jest/globals'
import { openService } from '../journeys/opened-service.ts'
import { visit } from './visitor.ts'

describe('the limit of signing up', () => {
  it('counts an address of email from wherever it is tried, in any case, and says for how long', async () => {
    const env = { AUTH_MODE: 'cloud', REGISTRATION_MODE: 'open', TRUST_PROXY: '1' }
    await using service = await openService(env)
    const statuses: number[] = []
    for (let n = 0; n < 5; n++)
      statuses.push((await visit(service.baseUrl).signUp(n % 2 ? 'ANN' : 'ann')).status)
    expect(statuses).toEqual([200, 400, 400, 400, 400])
    const refused = await visit(service.baseUrl).signUp('ann')
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60)
    expect((await visit(service.baseUrl).signUp('bob')).status).toBe(200)
  })
})
