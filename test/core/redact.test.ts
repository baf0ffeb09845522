import { runInNewContext } from 'node:vm'
import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { isSecretKey, mask, maskText } from '../../lib/core/redact.ts'

const canary = 'CANARY7canary7CANARY7canary7'

describe('a secret key', () => {
  it.each([
    'authorization',
    'Proxy-Authorization',
    'cookie',
    'Set-Cookie',
    'apiKey',
    'x-api-key',
    'API_KEY',
    'token',
    'accessToken',
    'refresh_token',
    'gatewayToken',
    'secret',
    'client_secret',
    'webhookSecret',
    'password',
    'passwordHash',
    'accessKey',
    'AWS_SECRET_ACCESS_KEY',
    'privateKey',
    'credentials',
    'passphrase',
  ])('is %s', (key) => expect(isSecretKey(key)).toBe(true))

  it.each([
    'promptTokens',
    'totalTokens',
    'maxOutputTokens',
    'key',
    'publicKey',
    'idempotencyKey',
    'taskId',
    'tokensReduced',
    'author',
  ])('is not %s', (key) => expect(isSecretKey(key)).toBe(false))
})

describe('masking a text', () => {
  it.each([
    `Authorization: Bearer ${canary}`,
    `authorization: bearer   ${canary}==`,
    `Basic ${canary}=`,
    `jwt eyJhbGciOiJI.${canary}.${canary}`,
    `key sk-${canary} refused`,
    `sk-proj-${canary}`,
    `ghp_${canary}`,
    `github_pat_${canary}`,
    `xoxb-${canary}`,
    `whsec_${canary}`,
    `svc_${canary}`,
    `AKIA${canary}`,
    `Cookie: svc_session=${canary}; theme=dark`,
    `https://user:${canary}@host/path`,
    `GET /hook?token=${canary}&x=1`,
    `?api_key=${canary}`,
    `{"access_token":"${canary}","a":1}`,
    `{"password" : "${canary}"}`,
    `-----BEGIN RSA PRIVATE KEY-----\n${canary}\n-----END RSA PRIVATE KEY-----`,
    `-----BEGIN PRIVATE KEY-----\n${canary}`,
  ])('leaves no secret in %j', (text) => {
    expect(maskText(text)).not.toContain(canary)
    expect(maskText(text)).toContain('[masked]')
  })

  it.each([
    'task_01KDXF8000Q4WJ2M5S9T3V7XYZ was queued',
    'the bearer of bad news',
    'Basic authentication is not offered',
    'Unexpected token } in JSON at position 7',
    'https://host:8080/a@b?page=2',
    'risk-assessment-of-the-whole-plan',
    '2026-01-01T12:00:00.000Z',
  ])('leaves %j alone', (text) => expect(maskText(text)).toBe(text))

  // Linear patterns need milliseconds for these; one that went back over its own tracks would need minutes.
  it.each([
    'eyJ-',
    'bearer ',
    'basic ',
    '://',
    '://a:',
    '-----BEGIN PRIVATE KEY-----',
    'token=',
    'sk-',
    'svc_',
    ' ',
  ])('ends for a long text of %j', (part) => {
    const text = part.repeat(100_000)
    expect(runInNewContext('run()', { run: () => typeof maskText(text) }, { timeout: 5_000 })).toBe('string')
  })
})

describe('masking a value', () => {
  it('leaves no secret under a secret key, at any depth, and does not touch the original', () => {
    fc.assert(
      fc.property(fc.object({ key: fc.constantFrom('a', 'b', 'token', 'apiKey'), maxDepth: 4 }), (given) => {
        const value = { given, deep: [{ password: canary, more: { 'set-cookie': [canary] } }] }
        const before = structuredClone(value)
        expect(JSON.stringify(mask(value))).not.toContain(canary)
        expect(value).toEqual(before)
      }),
    )
  })

  it('keeps everything else as JSON would show it', () => {
    const at = new Date(0)
    const given = { text: 'a', number: 1, no: null, yes: true, list: [1, 'b', { c: 2 }], at, promptTokens: 5 }
    expect(mask(given)).toEqual({ ...given, at: '1970-01-01T00:00:00.000Z' })
  })

  it('shows whether a secret is there at all', () => {
    expect(mask({ token: null, secret: false, password: '', apiKey: 5 })).toEqual({
      token: null,
      secret: false,
      password: '[masked]',
      apiKey: '[masked]',
    })
  })

  it('shows bytes as their count', () => {
    expect(mask({ body: Buffer.from(canary) })).toEqual({ body: `[${canary.length} bytes]` })
  })

  it('cuts what is too deep, too much or without end', () => {
    const loop: unknown[] = []
    loop.push(loop)
    expect(JSON.stringify(mask(loop))).toBe(`${'['.repeat(8)}"[cut]"${']'.repeat(8)}`)
    expect(mask(Array.from({ length: 5_000 }, () => 0))).toHaveLength(1_001)
    const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`f${n}`, n]))
    expect(Object.keys(mask(wide) as object)).toHaveLength(1_001)
  })

  it('neither takes a prototype from its input nor throws', () => {
    const hostile = JSON.parse('{"__proto__":{"admin":true},"a":1}')
    expect(mask(hostile)).toEqual({ a: 1 })
    expect(Object.getPrototypeOf(mask(hostile))).toBe(Object.prototype)
    const throwing = {
      toJSON: () => {
        throw new Error('no')
      },
    }
    expect(mask({ throwing, a: 1 })).toEqual({ throwing: '[unreadable]', a: 1 })
  })
})
