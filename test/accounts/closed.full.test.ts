import { describe, expect, it } from '@jest/globals'
import { inFolder } from './in-folder.ts'

const refusal = (...paths: string[]) => ({
  status: 400,
  body: {
    code: 'setting_not_changeable',
    details: paths.map((path) => ({ path: `system.${path}`, message: expect.stringMatching(/account/) })),
  },
})

describe('registration that is closed before there is an account', () => {
  it('is no setting that an admin can make, alone or with another sign-in', async () => {
    using place = inFolder()
    await using service = await place.start()
    expect(await service.change({ registrationMode: 'closed' })).toMatchObject(refusal('registrationMode'))
    expect(await service.change({ authMode: 'cloud', registrationMode: 'closed' })).toMatchObject(
      refusal('registrationMode'),
    )
    expect((await service.send('GET /api/settings')).body.settings.system).toEqual({
      authMode: 'local',
      registrationMode: 'invite',
    })
  })

  it('refuses a change of local mode to one in which no account could sign in', async () => {
    using place = inFolder()
    await using service = await place.start({
      REGISTRATION_MODE: 'closed',
      OIDC_ISSUER: 'https://issuer.example',
      OIDC_CLIENT_ID: 'client',
    })
    for (const authMode of ['cloud', 'oidc'])
      expect(await service.change({ authMode })).toMatchObject(refusal('authMode'))
    expect((await service.send('GET /api/auth/me')).body).toMatchObject({ authMode: 'local' })
  })

  it('is closed to the first account too', async () => {
    using place = inFolder()
    await using service = await place.start({ AUTH_MODE: 'cloud', REGISTRATION_MODE: 'closed' })
    expect((await service.signUp('ann')).body).toMatchObject({ code: 'registration_closed' })
  })
})

describe('registration that is closed after the first account', () => {
  it('is a setting that keeps others out, and the admin in', async () => {
    using place = inFolder()
    const first = await place.start()
    await first.change({ authMode: 'cloud' })
    expect((await first.signUp('ann')).status).toBe(200)
    expect((await first.change({ registrationMode: 'closed' })).status).toBe(200)
    expect((await first.signUp('bob')).body).toMatchObject({ code: 'registration_closed' })
    expect((await first.logIn('ann')).status).toBe(200)
    await first[Symbol.asyncDispose]()
    await using second = await place.start()
    expect((await second.logIn('ann')).status).toBe(200)
    // Back to local mode, and from there to what there is an account for.
    for (const authMode of ['local', 'cloud']) expect((await second.change({ authMode })).status).toBe(200)
  })
})
