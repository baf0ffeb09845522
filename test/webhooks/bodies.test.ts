import { describe, expect, it } from '@jest/globals'
import { parsePayload } from '../../lib/webhooks/receive.ts'
import { inPieces } from '../fakes/pieces.ts'
import { startInbound } from './inbound.ts'
import { issueLabeled, ping } from './payloads/codehost.ts'
import { signedHeaders } from './signed.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

describe('a body', () => {
  it('may be a form whose payload is JSON, signed as the form that it is', async () => {
    await using inbound = await startInbound()
    const payload = issueLabeled('ai-task', { title: 'Größe & Farbe = 100% + x' })
    const form = new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
    const answer = await inbound.deliver('codehost', form, { event: 'issues', headers: FORM })
    expect(answer).toMatchObject({ status: 200, body: { task: { title: 'Größe & Farbe = 100% + x' } } })
  })

  it('reaches the signature byte by byte when the gateway has made base64 of it', async () => {
    await using inbound = await startInbound()
    const form = `payload=${encodeURIComponent(JSON.stringify(ping))}`
    const headers = { ...signedHeaders({ sender: 'codehost', body: form, event: 'ping' }), ...FORM }
    const incoming = {
      header: (name: string) => (headers as Record<string, string>)[name],
      pieces: () => inPieces(Buffer.from(Buffer.from(form).toString('base64'), 'base64')),
    }
    expect(await inbound.inbound.receive('codehost', incoming)).toEqual({ message: 'The webhook works' })
  })

  it.each([
    ['no JSON', '{', 'invalid_json'],
    ['nothing', '', 'invalid_json'],
    ['nested too deep', `${'['.repeat(65)}${']'.repeat(65)}`, 'json_too_deep'],
    ['nested far too deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'json_too_deep'],
  ])('that is signed and %s is 400', async (_what, body, code) => {
    await using inbound = await startInbound()
    expect(await inbound.deliver('codehost', body, { event: 'issues' })).toMatchObject({
      status: 400,
      body: { code },
    })
  })

  it('that is a form without a payload, or not UTF-8, says nothing', () => {
    expect(() => parsePayload(Buffer.from('a=b'), FORM['content-type'])).toThrow('is not valid JSON')
    expect(() => parsePayload(Buffer.from([34, 255, 34]), 'application/json')).toThrow('is not UTF-8')
  })

  it('that is larger than any may be is refused before it is signed or not', async () => {
    await using inbound = await startInbound()
    const body = `"${'x'.repeat(1_048_576)}"`
    expect(await inbound.deliver('codehost', body, { event: 'issues' })).toMatchObject({
      status: 413,
      body: { code: 'body_too_large' },
    })
  })

  it.each([
    ['null', null],
    ['a number', 7],
    ['a list', [1]],
    ['without an issue', { action: 'labeled' }],
    ['of an issue without a number', issueLabeled('ai-task', { number: 'x' })],
    ['with a prototype', JSON.parse('{"__proto__": {"action": "labeled"}}')],
  ])('that is signed and %s is taken and makes no task', async (_what, payload) => {
    await using inbound = await startInbound()
    const answer = await inbound.deliver('codehost', payload, { event: 'issues' })
    expect(answer).toMatchObject({ status: 200, body: { message: expect.any(String) } })
    expect(answer.body).not.toHaveProperty('task')
  })
})
