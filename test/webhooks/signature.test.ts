import { createHmac } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import { sign, verify } from '@octokit/webhooks-methods'
import fc from 'fast-check'
import { SENDERS, type Sender } from '../../lib/webhooks/schema.ts'
import { isSigned } from '../../lib/webhooks/wire.ts'
import { startInbound } from './inbound.ts'
import { issueLabeled, ping } from './payloads/codehost.ts'
import { SECRETS, signedHeaders } from './signed.ts'

const PREFIXED = { prefix: 'sha256=' }
const SECRET = SECRETS.codehost

describe('a signature', () => {
  it('is the one that GitHub documents for its example', () => {
    const given = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
    expect(isSigned(Buffer.from('Hello, World!'), given, PREFIXED, "It's a Secret to Everybody")).toBe(true)
  })

  it('is what another implementation makes and takes, whatever is signed by whatever secret', async () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 300 })
    const property = fc.asyncProperty(text, text, async (secret, body) => {
      const theirs = await sign(secret, body)
      expect(isSigned(Buffer.from(body), theirs, PREFIXED, secret)).toBe(true)
      const ours = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
      expect(await verify(secret, body, ours)).toBe(true)
    })
    await fc.assert(property, { numRuns: 50, seed: 7 })
  })

  it('holds for bytes that are no text', () => {
    const bytes = Buffer.from([0, 255, 254, 128, 10])
    const digits = createHmac('sha256', SECRET).update(bytes).digest('hex')
    expect(isSigned(bytes, digits, { prefix: '' }, SECRET)).toBe(true)
    expect(isSigned(Buffer.from(bytes.toString('utf8')), digits, { prefix: '' }, SECRET)).toBe(false)
  })

  const body = Buffer.from('{"a": 1}')
  const digits = createHmac('sha256', SECRET).update(body).digest('hex')
  const sha1 = createHmac('sha1', SECRET).update(body).digest('hex')
  it.each<[string, string | undefined]>([
    ['is missing', undefined],
    ['is empty', ''],
    ['has no digits', 'sha256='],
    ['has no prefix', digits],
    ['has its prefix twice', `sha256=sha256=${digits}`],
    ['comes twice in one header', `sha256=${digits}, sha256=${digits}`],
    ['comes twice in one header, without a space', `sha256=${digits},sha256=${digits}`],
    ['is in upper case', `sha256=${digits.toUpperCase()}`],
    ['has its prefix in upper case', `SHA256=${digits}`],
    ['is cut', `sha256=${digits.slice(0, -1)}`],
    ['is cut to none', `sha256=${digits.slice(0, 2)}`],
    ['is longer', `sha256=${digits}00`],
    ['has a line after it', `sha256=${digits}\n`],
    ['has a space before it', ` sha256=${digits}`],
    ['is by SHA-1', `sha1=${sha1}`],
    ['is by SHA-1 and says otherwise', `sha256=${sha1}`],
    ['is in base64', `sha256=${createHmac('sha256', SECRET).update(body).digest('base64')}`],
    ['is of other bytes', `sha256=${createHmac('sha256', SECRET).update('{"a":1}').digest('hex')}`],
    ['is by another secret', `sha256=${createHmac('sha256', SECRETS.trackera).update(body).digest('hex')}`],
    ['is by no secret', `sha256=${createHmac('sha256', '').update(body).digest('hex')}`],
    ['is all zeros', `sha256=${'0'.repeat(64)}`],
  ])('that %s is none', (_how, given) => {
    expect(isSigned(body, given, PREFIXED, SECRET)).toBe(false)
  })

  it('is none where no secret is set', () => {
    const given = `sha256=${createHmac('sha256', '').update(body).digest('hex')}`
    expect(isSigned(body, given, PREFIXED, undefined)).toBe(false)
  })
})

describe('a delivery that is not signed', () => {
  const body = JSON.stringify(issueLabeled('ai-task'))

  it.each(SENDERS)(
    'is refused for %s, in the words of the interface, and leaves no trace',
    async (sender) => {
      await using inbound = await startInbound()
      const right: Record<string, string> = signedHeaders({ sender, body, event: 'issues' })
      const [name = ''] = Object.keys(right).filter((header) => header.includes('signature'))
      for (const value of ['', `${right[name]}0`, right[name]?.toUpperCase()]) {
        const headers = { ...right, [name]: value ?? '' }
        const answer = await inbound.call(`POST /api/webhooks/${sender}`, { body, headers })
        expect(answer).toMatchObject({ status: 403, body: { code: 'invalid_signature' } })
        expect(answer.body.error).toMatch(/signature is invalid/i)
        expect(answer.body.error).not.toContain(SECRETS[sender])
      }
      expect((await inbound.call('GET /api/integrations/webhooks/status')).body[sender].eventCount).toBe(0)
      expect(await inbound.total()).toBe(0)
    },
  )

  it('is not even read', async () => {
    await using inbound = await startInbound()
    for (const broken of ['{', '"\\ud800"', '['.repeat(100_000)])
      expect((await inbound.call('POST /api/webhooks/codehost', { body: broken })).status).toBe(403)
  })

  it.each(SENDERS)('is refused for %s without a secret, in the same words', async (sender) => {
    const variable = `${sender.toUpperCase()}_WEBHOOK_SECRET`
    await using inbound = await startInbound({ env: { [variable]: '' } })
    await using other = await startInbound()
    for (const secret of [SECRETS[sender], 'undefined'])
      expect((await inbound.deliver(sender, ping, { secret })).status).toBe(403)
    const [here, there] = [inbound, other].map((one) => one.deliver(sender, ping, { secret: 'wrong' }))
    expect((await here)?.body.error).toBe((await there)?.body.error)
    expect((await inbound.call('GET /api/integrations/webhooks/status')).body[sender]).toEqual({
      configured: false,
    })
  })

  it.each<[Sender, Sender]>([
    ['codehost', 'trackera'],
    ['trackera', 'codehost'],
    ['trackerb', 'codehost'],
  ])('for %s by the secret of %s is refused', async (sender, other) => {
    await using inbound = await startInbound()
    expect((await inbound.deliver(sender, ping, { secret: SECRETS[other] })).status).toBe(403)
  })
})
