import { describe, expect, it } from '@jest/globals'
import { openSite } from './site.ts'

describe('too many sign-ins that begin', () => {
  it('are told for how long to wait, whether a browser or a single-page client began', async () => {
    await using site = await openSite()
    const begin = (path: string) => fetch(`${site.baseUrl}${path}`, { redirect: 'manual' })
    for (let begun = 0; begun < 60; begun++) await begin('/api/auth/codehost/url')
    site.clock.advance(15_000)
    for (const path of ['/api/auth/codehost/url', '/api/auth/codehost', '/api/auth/trackera']) {
      const answer = await begin(path)
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '45'])
      expect(answer.headers.get('set-cookie')).toBeNull()
    }
  })
})
