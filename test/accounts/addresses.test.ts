import { describe, expect, it } from '@jest/globals'
import { openSite } from '../oauth/site.ts'

describe('an address with signs that the HTML standard allows', () => {
  it.each(['o&m@example.com', 'a!b@example.com', 'x=y@example.com', 'a/b@example.com', 'joe@localhost'])(
    'signs up, is invited, logs in and comes from a provider: %s',
    async (email) => {
      await using site = await openSite({ env: { REGISTRATION_MODE: 'invite' } })
      const admin = site.browser()
      await admin.signUp('admin@example.com')
      const { status, body } = await admin.post('/api/auth/invites', { email })
      expect([status, body.invite?.email]).toEqual([201, email])
      const signup = { email, password: 'correct horse 1', name: 'Ann', inviteCode: body.invite.code }
      expect(await site.browser().post('/api/auth/signup', signup)).toMatchObject({
        status: 200,
        body: { user: { email } },
      })
      const browser = site.browser()
      const logIn = { email: email.toUpperCase(), password: 'correct horse 1' }
      expect((await browser.post('/api/auth/login', logIn)).status).toBe(200)
      site.provider.person.email = email
      const elsewhere = site.browser()
      expect((await elsewhere.signIn('oidc')).location).toBe('/')
      expect((await elsewhere.me()).id).toBe((await browser.me()).id)
    },
  )
})
