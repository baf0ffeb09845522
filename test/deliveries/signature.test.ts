import { describe, expect, it } from '@jest/globals'
import { signatureHeaders } from '../../lib/deliveries/signature.ts'

const atMs = Date.UTC(2026, 0, 1, 12) + 999

describe('the headers of a delivery', () => {
  it('carry the HMAC-SHA256 of the body: test case 2 of RFC 4231', () => {
    const headers = signatureHeaders({
      id: 'evt_1',
      body: 'what do ya want for nothing?',
      secrets: ['Jefe'],
      atMs,
    })
    expect(headers['x-svc-signature']).toBe(
      'sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    )
  })

  it('carry those of Standard Webhooks, its key the bytes of the secret: computed by another program', () => {
    expect(signatureHeaders({ id: 'evt_1', body: '{"a":1}', secrets: ['Grüße 🌍'], atMs })).toEqual({
      'webhook-id': 'evt_1',
      'webhook-timestamp': '1767268800',
      'webhook-signature': 'v1,r14SU8hZbWnc3IPmrkzXItHbuDTI9sUc1zroCANiz4I=',
      'x-svc-signature': 'sha256=15d4667af6a287326ace386c36d1d728c32fc04da721f429acaacb57fe4e51fd',
    })
  })

  it('carry no signature without a secret', () => {
    expect(Object.keys(signatureHeaders({ id: 'evt_1', body: '', secrets: [], atMs }))).toEqual([
      'webhook-id',
      'webhook-timestamp',
    ])
  })
})
