import { describe, expect, it } from '@jest/globals'
import { SESSION_MS } from '../../lib/auth/sessions.ts'
import { ANONYMOUS, LOCAL_ADMIN, type Principal } from '../../lib/core/principal.ts'
import { type StartedDomains, startDomains } from '../fakes/service.ts'

const PASSWORD = 'correct horse 1'
const EMAIL = 'ann@example.com'
const DAY_MS = 86_400_000

/** Accounts with an admin, and Ann with two sessions, a paired device and an API token. */
const open = async () => {
  const domains = await startDomains({ background: false, env: { REGISTRATION_MODE: 'open' } })
  await domains.settings.change(LOCAL_ADMIN, { system: { authMode: 'cloud' } })
  const signUp = async (email: string) => {
    const { id } = await domains.accounts.signUp({ email, password: PASSWORD, name: 'A person' })
    return id
  }
  const session = async (userId: string) => {
    const { token } = await domains.sessions.open(userId)
    const principal = await domains.identity.ofSession(token)
    if (principal === undefined) throw new Error('The session is not valid')
    return { token, principal }
  }
  const admin = (await session(await signUp('root@example.com'))).principal
  const ann = await session(await signUp(EMAIL))
  const other = (await session(ann.principal.userId)).principal
  const pairing = await domains.devices.pairing.request({ requesterId: 'tablet', address: '::1' } as never)
  const { id: deviceId } = await domains.devices.pairing.approve(
    { principal: ann.principal, address: '::1' },
    pairing.code,
  )
  const { token: deviceToken = '' } = (await domains.devices.pairing.status(pairing.requestId)) as {
    token?: string
  }
  const device = (await domains.identity.ofSession(deviceToken)) as Principal
  const made = await domains.tokens.create(ann.principal, {
    name: 'CI',
    scopes: ['gateway'],
    expiresInDays: 1,
  })
  const token = (await domains.identity.ofToken(made.token, 'gateway')) as Principal
  return {
    domains,
    admin,
    ann: ann.principal,
    annsToken: ann.token,
    other,
    device,
    deviceId,
    token,
    tokenId: made.id,
  }
}
type Opened = Awaited<ReturnType<typeof open>>
type Caller = 'admin' | 'ann' | 'other' | 'device' | 'token'

const EVERYONE: readonly Caller[] = ['admin', 'ann', 'other', 'device', 'token']
const holding = async (opened: Opened) => {
  const held = await Promise.all(EVERYONE.map((name) => opened.domains.holdsRights(opened[name])))
  return EVERYONE.filter((_, at) => held[at])
}
const resetPassword = async ({ domains, admin, ann }: Opened) => {
  const { code } = await domains.accounts.createResetCode(admin, ann.userId)
  await domains.accounts.resetPassword({ email: EMAIL, code, newPassword: 'another horse 2' }, '::1')
}

describe('the rights of callers whose requests are open', () => {
  it.each<[string, (opened: Opened) => Promise<unknown>, readonly Caller[]]>([
    ['nothing happens', async () => undefined, EVERYONE],
    [
      'Ann logs out',
      ({ domains, annsToken }) => domains.sessions.closeToken(annsToken),
      ['admin', 'other', 'device', 'token'],
    ],
    [
      'Ann ends her other session',
      ({ domains, ann, other }) => domains.ownSessions.end(ann, `session_${other.sessionId}`),
      ['admin', 'ann', 'device', 'token'],
    ],
    [
      'Ann ends all others',
      ({ domains, ann }) => domains.ownSessions.endOthers(ann),
      ['admin', 'ann', 'token'],
    ],
    [
      'Ann changes her password',
      ({ domains, ann }) =>
        domains.accounts.changePassword(
          ann,
          { currentPassword: PASSWORD, newPassword: 'another horse 2' },
          '::1',
        ),
      ['admin', 'ann', 'token'],
    ],
    ['her password is set with a code', resetPassword, ['admin', 'token']],
    [
      'the session of her device is ended',
      ({ domains, ann, device }) => domains.ownSessions.end(ann, `session_${device.sessionId}`),
      ['admin', 'ann', 'other', 'token'],
    ],
    [
      'her device is revoked',
      ({ domains, ann, deviceId }) => domains.devices.revoke(ann, deviceId),
      ['admin', 'ann', 'other', 'token'],
    ],
    [
      'her API token is revoked',
      ({ domains, ann, tokenId }) => domains.tokens.revoke(ann, tokenId),
      ['admin', 'ann', 'other', 'device'],
    ],
    [
      'her API token expires',
      async ({ domains }) => domains.clock.advance(DAY_MS),
      ['admin', 'ann', 'other', 'device'],
    ],
    ['sessions expire', async ({ domains }) => domains.clock.advance(SESSION_MS), []],
    [
      'an admin disables her account',
      ({ domains, admin, ann }) => domains.accounts.changeUser(admin, ann.userId, { disabled: true }),
      ['admin'],
    ],
    [
      'an admin makes her an admin',
      ({ domains, admin, ann }) => domains.accounts.changeUser(admin, ann.userId, { role: 'admin' }),
      ['admin'],
    ],
    [
      'the service changes to local sign-in',
      ({ domains, admin }) => domains.settings.change(admin, { system: { authMode: 'local' } }),
      [],
    ],
  ])('when %s', async (_what, happens, expected) => {
    const opened = await open()
    await using _closed = opened.domains
    await happens(opened)
    expect(await holding(opened)).toEqual(expected)
  })

  const openLocal = () => startDomains({ background: false })
  const keyed = async (domains: StartedDomains) => {
    const session = await domains.accessKey.change(LOCAL_ADMIN, 'the first key')
    return (await domains.identity.ofSession(session?.token ?? '')) as Principal
  }

  it('end for callers without a session when an access key is set, except for callers of public routes', async () => {
    await using domains = await openLocal()
    expect(await domains.holdsRights(LOCAL_ADMIN)).toBe(true)
    const owner = await keyed(domains)
    expect(await Promise.all([LOCAL_ADMIN, owner, ANONYMOUS].map(domains.holdsRights))).toEqual([
      false,
      true,
      true,
    ])
  })

  it('end for all other sessions when the access key changes', async () => {
    await using domains = await openLocal()
    const owner = await keyed(domains)
    const { token } = await domains.accessKey.verify('the first key', { address: '::1' })
    const guest = (await domains.identity.ofSession(token)) as Principal
    expect(await Promise.all([owner, guest].map(domains.holdsRights))).toEqual([true, true])
    await domains.accessKey.change(owner, 'the second key')
    expect(await Promise.all([owner, guest].map(domains.holdsRights))).toEqual([true, false])
    await domains.accessKey.change(owner, null)
    expect(await Promise.all([owner, LOCAL_ADMIN].map(domains.holdsRights))).toEqual([true, true])
  })
})
