import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { authorizationRequests } from '../../lib/oauth/rows.ts'
import type { Store } from '../../lib/ports/store.ts'
import { rawSender } from '../journeys/raw.ts'
import { openSite } from './site.ts'

/** Every GET that writes. */
const WRITING = [
  '/api/auth/codehost',
  '/api/auth/trackera/callback?code=a&state=b',
  '/api/auth/codehost/url',
  '/api/devices/pairing/qr',
]
/** Those that begin to link an account when somebody is signed in. */
const REDIRECTING = ['/api/auth/codehost', '/api/auth/oidc']
const URL_PATH = '/api/auth/codehost/url'

const from = (site: string, mode: string, dest: string) => ({
  'sec-fetch-site': site,
  'sec-fetch-mode': mode,
  'sec-fetch-dest': dest,
})

const FOLLOWED: [[what: string, headers: Record<string, string>], ...[string, Record<string, string>][]] = [
  ['who follows a link of another site', from('cross-site', 'navigate', 'document')],
  ['who follows a link of another port of this host', from('same-site', 'navigate', 'document')],
  [
    'who follows one in a browser that tells less',
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
  ],
]

/** A service that counts what is begun there. */
const openCounted = async (options: Parameters<typeof openSite>[0] = {}) => {
  let begun = 0
  const wrapStore = (store: Store): Store => ({
    ...store,
    commit: (head, ...more) => {
      if ('insert' in head && head.insert.name === authorizationRequests.name) begun += 1
      return store.commit(head, ...more)
    },
  })
  return { ...(await openSite({ ...options, wrapStore })), begun: () => begun }
}

describe('a GET that writes', () => {
  let site: Awaited<ReturnType<typeof openCounted>>
  let sender: ReturnType<typeof rawSender>
  let cookie: string
  beforeAll(async () => {
    site = await openCounted()
    sender = rawSender(site.baseUrl)
    const browser = site.browser()
    await browser.signUp('ann@example.com')
    cookie = `svc_session=${browser.jar.get('svc_session')?.value}`
  })
  afterAll(async () => {
    sender[Symbol.dispose]()
    await site[Symbol.asyncDispose]()
  })
  const ask = (path: string, headers: Readonly<Record<string, string>>) =>
    sender.send({ path, headers: { cookie, ...headers } })

  describe.each(WRITING)('at %s', (path) => {
    it.each([
      ['an image', from('cross-site', 'no-cors', 'image')],
      ['a script', from('cross-site', 'cors', 'empty')],
      ['a frame', from('cross-site', 'navigate', 'iframe')],
      ['an image of another port of this host', from('same-site', 'no-cors', 'image')],
    ])('is not for %s in a page of another site', async (_what, headers) => {
      const answer = await ask(path, headers)
      expect([answer.status, answer.json]).toEqual([403, expect.objectContaining({ code: 'foreign_origin' })])
      expect(answer.headers['set-cookie']).toBeUndefined()
    })

    it.each([
      ['a person who enters the address', from('none', 'navigate', 'document')],
      ['a page of its own', from('same-origin', 'cors', 'empty')],
      ['who is no browser', {}],
      ['who is no browser and says how it asks', { 'sec-fetch-mode': 'cors' }],
    ])('is for %s', async (_what, headers) => {
      expect([200, 302]).toContain((await ask(path, headers)).status)
    })
  })

  it.each(REDIRECTING)('at %s leads who is signed in home, and begins nothing', async (path) => {
    const before = site.begun()
    for (const [, headers] of FOLLOWED) {
      const answer = await ask(`${path}?invite=a`, headers)
      expect([answer.status, answer.headers.location]).toEqual([302, '/'])
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
    expect(site.begun()).toBe(before)
    // It would have been seen.
    await ask(path, {})
    expect(site.begun()).toBe(before + 1)
  })

  it('at the route for single-page clients is refused to who is signed in', async () => {
    const before = site.begun()
    for (const [, headers] of FOLLOWED) {
      const answer = await ask(URL_PATH, headers)
      expect([answer.status, answer.json]).toEqual([403, expect.objectContaining({ code: 'foreign_origin' })])
      expect(answer.headers['set-cookie']).toBeUndefined()
    }
    expect(site.begun()).toBe(before)
  })

  describe.each([...REDIRECTING, URL_PATH])('at %s', (path) => {
    it.each(FOLLOWED)('begins a sign-in for %s', async (_what, headers) => {
      expect([200, 302]).toContain((await sender.send({ path, headers })).status)
    })
  })

  it.each(['/api/auth/trackera/callback?code=a&state=b', '/api/devices/pairing/qr'])(
    'at %s is for who is led there by a page of another site',
    async (path) => {
      for (const [, headers] of FOLLOWED) expect([200, 302]).toContain((await ask(path, headers)).status)
    },
  )

  it('links nothing either where everybody is the local admin', async () => {
    await using local = await openCounted({ env: { AUTH_MODE: 'local' } })
    using there = rawSender(local.baseUrl)
    const [[, headers]] = FOLLOWED
    const answer = await there.send({ path: '/api/auth/codehost', headers })
    expect([answer.status, answer.headers.location]).toEqual([302, '/'])
    expect(local.begun()).toBe(0)
    expect((await there.send({ path: '/api/auth/codehost' })).status).toBe(302)
    expect(local.begun()).toBe(1)
  })

  it('that ends linking is for who comes back from the provider, another site', async () => {
    const browser = site.browser()
    await browser.signUp('bob@example.com')
    const path = await browser.comeBack('codehost')
    const cookies = [...browser.jar].map(([name, { value }]) => `${name}=${value}`).join('; ')
    const [[, headers]] = FOLLOWED
    const answer = await sender.send({ path, headers: { ...headers, cookie: cookies } })
    expect([answer.status, answer.headers.location]).toEqual([302, '/'])
    expect((await browser.me()).connectedAccounts).toEqual(['codehost'])
  })

  it('is the only GET that asks: what changes nothing may be shown anywhere', async () => {
    expect((await ask('/api/auth/me', from('cross-site', 'no-cors', 'image'))).status).toBe(200)
  })
})
