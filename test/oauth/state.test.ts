import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import type { Browser } from './browser.ts'
import { openSite, type Site } from './site.ts'

const INVALID = { status: 302, location: '/login?error=invalid_state', cookie: null }

describe('the way back from a provider', () => {
  let site: Site
  let browser: Browser
  beforeEach(async () => {
    site = await openSite()
    browser = site.browser()
  })
  afterEach(() => site[Symbol.asyncDispose]())

  const untouched = () => expect(site.provider.tokenCalls).toEqual([])

  it.each([
    ['no state', (back: URL): unknown => back.searchParams.delete('state')],
    ['a wrong state', (back: URL) => back.searchParams.set('state', 'x'.repeat(43))],
    ['an empty query', (back: URL) => Object.assign(back, { search: '' })],
    ['an empty code', (back: URL) => Object.assign(back, { search: '?code=&state=x' })],
    ['an empty state', (back: URL) => back.searchParams.set('state', '')],
    ['a long state', (back: URL) => back.searchParams.set('state', 'x'.repeat(2_000))],
    ['a long error', (back: URL) => Object.assign(back, { search: `?error=${'x'.repeat(1_001)}` })],
  ])('is closed to %s', async (_what, change) => {
    const back = new URL(await browser.comeBack('codehost'), site.baseUrl)
    change(back)
    expect(await browser.ask(back.pathname + back.search)).toMatchObject(INVALID)
    untouched()
  })

  it('is open once', async () => {
    const back = await browser.comeBack('codehost')
    expect((await browser.ask(back)).location).toBe('/')
    expect(await site.browser().ask(back)).toMatchObject(INVALID)
    expect(await browser.ask(back)).toMatchObject(INVALID)
    expect(site.provider.tokenCalls).toHaveLength(1)
  })

  it('lets one of many through who come at once', async () => {
    const back = await browser.comeBack('codehost')
    const answers = await Promise.all(Array.from({ length: 20 }, () => browser.ask(back)))
    expect(answers.filter(({ location }) => location === '/')).toHaveLength(1)
    expect(site.provider.tokenCalls).toHaveLength(1)
  })

  it('is closed to a browser that did not begin, so that no person is signed in by a link (login CSRF)', async () => {
    const back = await browser.comeBack('codehost')
    const victim = site.browser()
    expect(await victim.ask(back)).toMatchObject(INVALID)
    await victim.ask('/api/auth/codehost')
    expect(await victim.ask(back)).toMatchObject(INVALID)
    untouched()
    expect((await browser.ask(back)).location).toBe('/')
  })

  it('is closed to what began with another provider (mix-up)', async () => {
    const back = await browser.comeBack('codehost')
    await browser.ask('/api/auth/trackera')
    const mixed = back.replace('/codehost/', '/trackera/')
    expect(await browser.ask(mixed)).toMatchObject(INVALID)
    // Even with the cookie of the one at the path of the other.
    const secret = browser.jar.get('svc_oauth_codehost')?.value
    const headers = { cookie: `svc_oauth_trackera=${secret}` }
    expect(await site.browser().ask(mixed, { headers })).toMatchObject(INVALID)
    untouched()
  })

  it('is closed after ten minutes', async () => {
    const back = await browser.comeBack('codehost')
    site.clock.advance(600_001)
    expect(await browser.ask(back)).toMatchObject(INVALID)
    untouched()
  })

  it('tells the login page why nothing came of it, and nothing that the provider said', async () => {
    const { location } = await browser.ask('/api/auth/codehost')
    const state = new URL(location ?? '').searchParams.get('state')
    const denied = `/api/auth/codehost/callback?error=access_denied&error_description=CANARY&state=${state}`
    expect(await browser.ask(denied)).toMatchObject({ location: '/login?error=access_denied', cookie: null })
    expect(await browser.ask(denied)).toMatchObject(INVALID)
  })

  it('takes no error of a provider to the page', async () => {
    const { location } = await browser.ask('/api/auth/codehost')
    const state = new URL(location ?? '').searchParams.get('state')
    const answer = await browser.ask(`/api/auth/codehost/callback?error=%3Cscript%3E&state=${state}`)
    expect(answer.location).toBe('/login?error=oauth_failed')
    const faults = site.log.entries.filter(({ message }) => message !== 'request')
    expect(faults.at(-1)?.fields).toMatchObject({ reason: 'oauth_failed', cause: 'unexpected' })
  })

  it.each([
    ['an empty code', { code: '' }, 'oauth_failed'],
    ['no code', {}, 'oauth_failed'],
    ['a long error', { error: 'x'.repeat(1_001) }, 'oauth_failed'],
    ['a long code', { code: 'x'.repeat(8_193) }, 'invalid_code'],
  ])('leads to the login page with %s', async (_what, back, reason) => {
    const { location } = await browser.ask('/api/auth/codehost')
    const state = new URL(location ?? '').searchParams.get('state') ?? ''
    const answer = await browser.ask(`/api/auth/codehost/callback?${new URLSearchParams({ ...back, state })}`)
    expect(answer).toMatchObject({ status: 302, location: `/login?error=${reason}`, cookie: null })
  })

  it('goes nowhere with a code that was used, or that another sign-in was given (code injection)', async () => {
    const first = new URL(await browser.comeBack('codehost'), site.baseUrl)
    const second = new URL(await browser.comeBack('codehost'), site.baseUrl)
    second.searchParams.set('code', first.searchParams.get('code') ?? '')
    const answer = await browser.ask(second.pathname + second.search)
    expect(answer).toMatchObject({ location: '/login?error=invalid_code', cookie: null })
  })

  it('stays open after a HEAD request', async () => {
    const back = await browser.comeBack('codehost')
    expect(await browser.ask(back, { method: 'HEAD' })).toMatchObject({ status: 405, cookie: null })
    expect((await browser.ask(back)).location).toBe('/')
  })

  it('is as narrow for single-page clients', async () => {
    const { body } = await browser.ask('/api/auth/codehost/url')
    const code = (await site.provider.agree(body.url)).searchParams.get('code')
    const sent = { code, state: body.state }
    const refused = { status: 400, cookie: null, body: { code: 'invalid_state' } }
    expect(await site.browser().post('/api/auth/codehost/token', sent)).toMatchObject(refused)
    expect(await browser.post('/api/auth/codehost/token', { ...sent, state: 'x' })).toMatchObject(refused)
    untouched()
    expect((await browser.post('/api/auth/codehost/token', sent)).status).toBe(200)
    browser.jar.delete('svc_session')
    expect(await browser.post('/api/auth/codehost/token', sent)).toMatchObject(refused)
  })

  it('tells a single-page client that its code is wrong, and what to do', async () => {
    const { body } = await browser.ask('/api/auth/codehost/url')
    const sent = { code: 'wrong', state: body.state }
    expect(await browser.post('/api/auth/codehost/token', sent)).toMatchObject({
      status: 400,
      cookie: null,
      body: { code: 'invalid_code', error: expect.stringContaining('Start again') },
    })
  })

  it('is the provider’s fault where it refuses the client and not the code', async () => {
    const { body } = await browser.ask('/api/auth/codehost/url')
    const code = (await site.provider.agree(body.url)).searchParams.get('code')
    site.provider.state.fault = 'client refused'
    const answer = await browser.post('/api/auth/codehost/token', { code, state: body.state })
    expect(answer).toMatchObject({ status: 503, body: { code: 'oauth_failed' } })
  })

  it('is closed to pages of other sites', async () => {
    const { body } = await browser.ask('/api/auth/codehost/url')
    const answer = await browser.ask('/api/auth/codehost/token', {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'https://evil.example' },
      body: JSON.stringify({ code: 'a', state: body.state }),
    })
    expect(answer).toMatchObject({ status: 403, body: { code: 'foreign_origin' } })
  })
})

describe('the cookie of a sign-in that has begun', () => {
  it('is for the provider, for ten minutes, and out of reach of scripts', async () => {
    await using site = await openSite()
    const { cookie } = await site.browser().ask('/api/auth/trackera')
    expect(cookie).toMatch(
      /^svc_oauth_trackera=[\w-]{43}; Path=\/api\/auth\/trackera; HttpOnly; SameSite=Lax; Max-Age=600$/,
    )
  })

  it('goes over https only where the service is known by https, and so does the redirect URI', async () => {
    await using site = await openSite({ env: { PUBLIC_URL: 'https://tasks.example/' } })
    const { cookie, location } = await site.browser().ask('/api/auth/codehost')
    expect(cookie).toMatch(/; Secure$/)
    expect(new URL(location ?? '').searchParams.get('redirect_uri')).toBe(
      'https://tasks.example/api/auth/codehost/callback',
    )
  })
})

describe('beginning', () => {
  it('has an end for one address: each writes to storage', async () => {
    await using site = await openSite()
    const browser = site.browser()
    for (let begun = 0; begun < 60; begun++) await browser.ask('/api/auth/codehost')
    expect(await browser.ask('/api/auth/codehost')).toMatchObject({
      status: 429,
      body: { code: 'rate_limited' },
    })
    site.clock.advance(60_000)
    expect((await browser.ask('/api/auth/codehost')).status).toBe(302)
  })

  it('has an end for an IPv6 network too', async () => {
    await using site = await openSite({ env: { TRUST_PROXY: '1' } })
    const from = (address: string) =>
      site.browser().ask('/api/auth/codehost', { headers: { 'x-forwarded-for': address } })
    for (let begun = 0; begun < 60; begun++) await from(`2001:db8:1:2::${begun}`)
    expect((await from('2001:db8:1:2:ffff::1')).status).toBe(429)
    expect((await from('2001:db8:1:3::1')).status).toBe(302)
  })
})
