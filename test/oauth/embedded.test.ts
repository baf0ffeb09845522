import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { rawSender } from '../journeys/raw.ts'
import { openSite, type Site } from './site.ts'

/** Every GET that writes. */
const WRITING = [
  '/api/auth/codehost',
  '/api/auth/trackera/callback?code=a&state=b',
  '/api/auth/codehost/url',
  '/api/devices/pairing/qr',
]

const from = (site: string, mode: string, dest: string) => ({
  'sec-fetch-site': site,
  'sec-fetch-mode': mode,
  'sec-fetch-dest': dest,
})

describe('a GET that writes', () => {
  let site: Site
  let sender: ReturnType<typeof rawSender>
  let cookie: string
  beforeAll(async () => {
    site = await openSite()
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
      ['a person who follows a link of another site', from('cross-site', 'navigate', 'document')],
      [
        'a person who comes back in a browser that tells less',
        { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
      ],
      ['a person who enters the address', from('none', 'navigate', 'document')],
      ['a page of its own', from('same-origin', 'cors', 'empty')],
      ['who is no browser', {}],
      ['who is no browser and says how it asks', { 'sec-fetch-mode': 'cors' }],
    ])('is for %s', async (_what, headers) => {
      expect([200, 302]).toContain((await ask(path, headers)).status)
    })
  })

  it('is the only GET that asks: what changes nothing may be shown anywhere', async () => {
    expect((await ask('/api/auth/me', from('cross-site', 'no-cors', 'image'))).status).toBe(200)
  })
})
