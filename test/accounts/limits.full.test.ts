import { describe, expect, it } from '@jest/globals'
import { openService } from '../journeys/opened-service.ts'
import { visit } from './visitor.ts'

const started = (env: Readonly<Record<string, string>>) =>
  openService({ AUTH_MODE: 'cloud', REGISTRATION_MODE: 'open', ...env })

const statuses = async (count: number, call: (n: number) => Promise<{ status: number }>) => {
  const seen: number[] = []
  for (let n = 0; n < count; n++) seen.push((await call(n)).status)
  return seen
}
const times = (count: number, status: number) => Array.from({ length: count }, () => status)

describe('the limits of signing in', () => {
  it('let ten logins a minute through from one address, which no header moves', async () => {
    await using service = await started({})
    const came = await statuses(12, (n) =>
      visit(service.baseUrl, { 'x-forwarded-for': `203.0.113.${n}`, 'x-real-ip': `203.0.113.${n}` }).logIn(
        `u${n}`,
      ),
    )
    expect(came).toEqual([...times(10, 401), 429, 429])
    const refused = await visit(service.baseUrl).logIn('another')
    expect(refused.body).toMatchObject({
      code: 'rate_limited',
      error: expect.stringMatching(/try again in a minute/i),
    })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60)
  })

  it('count behind a proxy the address that it saw, not the one that the client claims', async () => {
    await using service = await started({ TRUST_PROXY: '1' })
    const came = await statuses(11, (n) =>
      visit(service.baseUrl, { 'x-forwarded-for': `203.0.113.${n}, 198.51.100.1` }).logIn(`u${n}`),
    )
    expect(came).toEqual([...times(10, 401), 429])
  })

  it('count per account, for all addresses of callers and in any case of its own', async () => {
    await using service = await started({ TRUST_PROXY: '1' })
    const came = await statuses(11, (n) => visit(service.baseUrl).logIn(n % 2 ? 'ann' : 'ANN'))
    expect(came).toEqual([...times(10, 401), 429])
    expect((await visit(service.baseUrl).logIn('bob')).status).toBe(401)
  })

  it('count attempts to enter the access key together for all callers', async () => {
    await using service = await started({ AUTH_MODE: 'local', ACCESS_KEY: 'the right key', TRUST_PROXY: '1' })
    const tell = (key: string) => visit(service.baseUrl).send('POST /api/auth/verify-access-key', { key })
    expect(await statuses(11, (n) => tell(`wrong ${n}`))).toEqual([...times(10, 401), 429])
    expect((await tell('the right key')).status).toBe(429)
  })

  it('count an IPv6 network of one household as one', async () => {
    await using service = await started({ TRUST_PROXY: '1' })
    const from = (address: string, n: number) =>
      visit(service.baseUrl, { 'x-forwarded-for': address }).logIn(`u${n}`)
    const came = await statuses(11, (n) => from(`2001:db8:1:2:${n}::${n}`, n))
    expect(came).toEqual([...times(10, 401), 429])
    expect((await from('2001:db8:1:3::1', 11)).status).toBe(401)
    const mapped = await statuses(11, (n) => from(n % 2 ? '::ffff:203.0.113.9' : '203.0.113.9', 20 + n))
    expect(mapped).toEqual([...times(10, 401), 429])
  })
})
