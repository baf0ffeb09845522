import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import { integrationRows } from '../../lib/integrations/rows.ts'
import { startReceiver } from '../adapters/outbound-receiver.ts'
import { type StartedApi, startApi } from '../fakes/caller.ts'
import { ANN, BOB } from '../fakes/service.ts'

const KEY = 'BSA-CANARY-of-brave-search'
const MASKED = 'BSA-********'
const never = new AbortController().signal

let api: StartedApi
beforeEach(async () => {
  api = await startApi({ env: { OUTBOUND_ALLOW_HOSTS: '127.0.0.1' } })
})
afterEach(() => api[Symbol.asyncDispose]())

const get = async () => (await api.call('GET /api/integrations/web-search', { as: BOB })).body
const put = (body: object) => api.call('PUT /api/integrations/web-search', { body })
const stored = async () => JSON.stringify(await api.service.store.get(integrationRows, 'web-search'))

describe('web search', () => {
  it('is off as it comes, and there are four providers', async () => {
    const { config, status, providers } = await get()
    expect(config).toEqual({ enabled: false, provider: 'brave' })
    expect(status).toEqual({ available: false, provider: 'brave', reason: 'Web search is disabled' })
    expect(
      providers.map((one: { id: string; configFields: string[] }) => [one.id, one.configFields]),
    ).toEqual([
      ['brave', ['apiKey']],
      ['tavily', ['apiKey']],
      ['serper', ['apiKey']],
      ['searxng', ['baseUrl', 'apiKey']],
    ])
    for (const { name, description } of providers) expect([name, description]).not.toContain('')
    await expect(api.service.webSearch.search('x', never)).rejects.toMatchObject({
      kind: 'unsupported',
      code: 'web_search_not_configured',
    })
  })

  it('is available once it is enabled with a key, which is sealed, masked, kept, replaced and removed', async () => {
    expect((await put({ enabled: true })).body.status.reason).toBe('Brave Search has no apiKey')
    const set = await put({ enabled: true, provider: 'brave', brave: { apiKey: KEY } })
    const status = { available: true, provider: 'brave', reason: null }
    expect(set).toMatchObject({ status: 200, body: { message: 'Web search changed', status } })
    expect(JSON.stringify(set.body)).not.toContain('CANARY')
    const config = { enabled: true, provider: 'brave', brave: { apiKey: MASKED } }
    expect(await get()).toMatchObject({ config, status })
    const sealed = await stored()
    expect(sealed).not.toContain('CANARY')

    // The form as it was read goes back, with one change.
    await put({ ...config, provider: 'tavily', tavily: { apiKey: 'tvly-CANARY-dev-of-tavily' } })
    expect((await get()).config).toEqual({
      enabled: true,
      provider: 'tavily',
      brave: { apiKey: MASKED },
      tavily: { apiKey: 'tvly********' },
    })
    expect(JSON.parse(await stored()).access.brave).toEqual(JSON.parse(sealed).access.brave)
    await put({ brave: { apiKey: null }, provider: 'brave' })
    expect(await get()).toMatchObject({
      config: { brave: {} },
      status: { available: false, reason: 'Brave Search has no apiKey' },
    })
    const { rows } = await api.service.store.page((await import('../../lib/audit/rows.ts')).auditRows, {
      index: 'newest',
      order: 'asc',
      limit: 10,
    })
    expect(rows.map(({ action, userId }) => [action, userId])).toEqual(
      Array(4).fill(['integration.change', ANN.userId]),
    )
    expect(JSON.stringify(rows)).not.toContain('CANARY')
  })

  it.each([
    ['an unknown provider', { provider: 'bing' }, 'provider'],
    ['a word for enabled', { enabled: 'yes' }, 'enabled'],
    ['an empty key', { brave: { apiKey: ' ' } }, 'brave.apiKey'],
    ['a key of two lines', { brave: { apiKey: 'a\r\nx-y: z' } }, 'brave.apiKey'],
    ['a masked key where none is stored', { serper: { apiKey: 'abcd********' } }, 'serper.apiKey'],
    ['an address that is none', { searxng: { baseUrl: 'search' } }, 'searxng.baseUrl'],
    ['an address of a file', { searxng: { baseUrl: 'file:///etc/passwd' } }, 'searxng.baseUrl'],
    ['an address with a password', { searxng: { baseUrl: 'http://a:b@127.0.0.1' } }, 'searxng.baseUrl'],
    ['a private address', { searxng: { baseUrl: 'http://10.0.0.1:8080' } }, 'searxng.baseUrl'],
    ['that in octal', { searxng: { baseUrl: 'http://0251.0376.0251.0376/' } }, 'searxng.baseUrl'],
  ])('is not changed by %s', async (_what, fault, field) => {
    const { status, body } = await put({ ...fault })
    expect([status, body.details?.[0]?.path]).toEqual([400, field])
    expect(await stored()).toBe(undefined)
  })

  it('does not send a stored key to another address', async () => {
    const searxng = { baseUrl: 'http://127.0.0.1:8888/searx', apiKey: KEY }
    await put({ enabled: true, provider: 'searxng', searxng })
    for (const elsewhere of ['http://127.0.0.1:9999', null])
      for (const more of [{}, { apiKey: MASKED }]) {
        const { status, body } = await put({ searxng: { baseUrl: elsewhere, ...more } })
        expect([status, body.details[0].path]).toEqual([400, 'searxng.apiKey'])
      }
    await put({ searxng: { baseUrl: 'http://127.0.0.1:8888/other', apiKey: MASKED } })
    expect((await get()).config.searxng).toEqual({ baseUrl: 'http://127.0.0.1:8888/other', apiKey: MASKED })
    expect((await put({ searxng: { baseUrl: 'http://127.0.0.1:9999', apiKey: null } })).status).toBe(200)
  })

  it('keeps every one of many changes at once', async () => {
    const all = ['brave', 'tavily', 'serper', 'searxng'].map((id) =>
      put({ [id]: { apiKey: `${id}-of-many` } }),
    )
    for (const { status } of await Promise.all(all)) expect(status).toBe(200)
    const { brave, tavily, serper, searxng } = (await get()).config
    expect([brave, tavily, serper, searxng].map(({ apiKey }) => apiKey)).toEqual(
      ['bra', 'tav', 'ser', 'sea'].map((beginning) => `${beginning}********`),
    )
  })

  it('asks the provider with the key, and takes the key out of what that repeats', async () => {
    const results = [{ url: `https://example.com/?k=${KEY}`, title: KEY, content: `Key: ${KEY}` }]
    await using far = await startReceiver((response) => response.end(JSON.stringify({ results })))
    const baseUrl = far.url.replace('/hook', '')
    await put({ enabled: true, provider: 'searxng', searxng: { baseUrl, apiKey: KEY } })
    const [found] = await api.service.webSearch.search('news', never)
    expect(far.heard[0]?.headers.authorization).toBe(`Bearer ${KEY}`)
    expect(found?.url).toMatch(/^https:\/\/example\.com\//)
    expect(JSON.stringify(found)).not.toContain('CANARY')
  })
})
