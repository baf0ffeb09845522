import { createServer } from 'node:http'
import { describe, expect, it } from '@jest/globals'
import { createCodeHost } from '../../lib/adapters/code-host/code-host.ts'
import { createProviderFetch } from '../../lib/adapters/node/provider-fetch.ts'
import { createCodehost } from '../../lib/adapters/trackers/codehost.ts'
import { createApi } from '../../lib/adapters/trackers/request.ts'
import { createTrackerb } from '../../lib/adapters/trackers/trackerb.ts'
import { toTokens } from '../../lib/oauth/grants.ts'
import { onLoopback } from '../../offline/loopback.ts'
import { createFakeClock } from '../fakes/clock.ts'

const long = 'x'.repeat(500_000)
const clock = createFakeClock()
const apiAnswering = (body: unknown) =>
  createApi({ clock, apiUrl: 'https://tracker.test', fetch: async () => Response.json(body) })
const as = { token: 'planted-token' }
const draft = { mark: 'm', headline: 'Hi', facts: [], links: [], text: '' }

describe('a field of 500 kB in an answer from outside', () => {
  it('is no address of a comment', async () => {
    const api = apiAnswering({ id: 1, html_url: long })
    const asked = { as, issue: { id: 'owner/name#1' }, timeoutMs: 1_000 }
    expect(await createCodehost(api).comment(asked, draft)).toEqual({ id: '1' })
  })

  it('is no id of a comment', async () => {
    const api = apiAnswering({ data: { commentCreate: { success: true, comment: { id: long } } } })
    const asked = { as, issue: { id: 'AB-1' }, timeoutMs: 1_000 }
    await expect(createTrackerb(api).comment(asked, draft)).rejects.toMatchObject({
      code: 'provider_answer_unknown',
    })
  })

  it('is no branch', async () => {
    const body = { default_branch: long, private: false, permissions: { push: true } }
    const host = createCodeHost({
      apiUrl: 'https://host.test',
      clock,
      fetch: async () => Response.json(body),
    })
    const account = { token: 'planted-token', scopes: [] }
    await expect(host.repository({ owner: 'o', name: 'n' }, account)).rejects.toMatchObject({
      kind: 'unavailable',
    })
  })

  it.each([
    ['access token', { access_token: long, token_type: 'bearer' as const }],
    ['refresh token', { access_token: 'a', refresh_token: long, token_type: 'bearer' as const }],
    ['scope', { access_token: 'a', scope: long, token_type: 'bearer' as const }],
  ])('is no %s', (_, answer) => {
    expect(() => toTokens(answer)).toThrow(expect.objectContaining({ code: 'oauth_failed' }))
  })
})

describe('an answer of 2 MB to a request of an account', () => {
  it('is not held', async () => {
    const { url, stop } = await onLoopback(createServer((_req, res) => void res.end('x'.repeat(2_000_000))))
    await expect(createProviderFetch()(url)).rejects.toMatchObject({ code: 'provider_unreachable' })
    await stop()
  })
})
