import type { TestProvider } from '../oauth/provider.ts'
import type { Functions } from './functions.ts'

const PASSWORD = 'correct horse 1'
type Known = { authorization: string }
type Shown = { user: { id: string }; invite: { id: string; code: string } }

/** The cookie that an answer gives, as a program sends it. */
const knownBy = (headers: Record<string, string>): Known => ({
  authorization: `Bearer ${/=([^;]+)/.exec(headers['set-cookie'] ?? '')?.[1]}`,
})

/** Signs people up and in, in every way that there is; answers an admin, a user, and one with an account of the code host. */
export const usePeople = async ({ ask, http }: Functions, provider: TestProvider) => {
  const call = async (...given: Parameters<typeof http>) => (await http(...given)) as Shown
  const signUp = async (email: string, inviteCode?: string): Promise<Known> => {
    const given = { email, password: PASSWORD, name: 'Somebody', ...(inviteCode ? { inviteCode } : {}) }
    return knownBy((await ask('auth', 'POST /api/auth/signup', given)).headers)
  }
  const logIn = async (email: string): Promise<Known> =>
    knownBy((await ask('auth', 'POST /api/auth/login', { email, password: PASSWORD })).headers)
  const admin = await signUp('admin@example.com')
  const invite = async (body: object) => (await call('auth', 'POST /api/auth/invites', body, admin)).invite

  /** To a provider and back; with a session, to link an account. */
  const goThrough = async (name: string, known = {}) => {
    const { headers } = await ask('auth', `GET /api/auth/${name}`, undefined, known)
    const back = await provider.agree(headers.location ?? '')
    const [cookie = ''] = (headers['set-cookie'] ?? '').split(';')
    return ask('auth', `GET ${back.pathname}${back.search}`, undefined, { cookie, ...known })
  }

  const user = await signUp('user@example.com', (await invite({})).code)
  const gone = await signUp('gone@example.com', (await invite({})).code)
  await http('auth', `DELETE /api/auth/invites/${(await invite({})).id}`, undefined, admin)
  await http('auth', 'GET /api/auth/invites', undefined, admin)
  await invite({ email: provider.person.email })
  await goThrough('codehost')
  const linked = knownBy((await goThrough('codehost')).headers)
  // The provider has none.
  await http('auth', 'GET /api/integrations/codehost/repositories', undefined, linked).catch(() => undefined)
  await goThrough('trackera', user)
  await http('auth', 'PATCH /api/auth/me', { bio: 'Somebody' }, user)
  await http('auth', 'GET /api/auth/me', undefined, user)
  await http('auth', 'GET /api/users', undefined, admin)
  const { id } = (await call('auth', 'GET /api/auth/me', undefined, gone)).user
  for (const change of [{ role: 'admin' }, { disabled: true }])
    await http('auth', `PATCH /api/users/${id}`, change, admin)
  const other = (await call('auth', 'GET /api/auth/me', undefined, user)).user
  await http('auth', `PATCH /api/users/${other.id}`, { unlink: ['trackera'] }, admin)
  const passwords = { currentPassword: PASSWORD, newPassword: PASSWORD }
  await http('auth', 'POST /api/auth/password', passwords, user)
  const reset = await http('auth', `POST /api/users/${other.id}/reset-code`, undefined, admin)
  const given = { email: 'nobody@example.com', code: reset.code, newPassword: PASSWORD }
  await http('auth', 'POST /api/auth/reset', given).catch(() => undefined)
  await http('auth', 'POST /api/auth/logout', {}, await logIn('user@example.com'))
  await logIn('user@example.com')
  const made = await http('auth', 'POST /api/auth/phone', undefined, user)
  const { id: phoneId, url } = made as { id: string; url: string }
  await http('auth', `GET /api/auth/phone/${phoneId}`, undefined, user)
  await http('auth', 'POST /api/auth/phone/sign-in', { code: new URL(url).hash.slice(1) })
  type Listed = { sessions: { id: string; current: boolean }[] }
  const { sessions } = (await http('auth', 'GET /api/auth/sessions', undefined, user)) as Listed
  const elsewhere = sessions.find(({ current }) => !current)
  await http('auth', `DELETE /api/auth/sessions/${elsewhere?.id}`, undefined, user)
  await http('auth', 'DELETE /api/auth/sessions', undefined, user)
  return { admin, user, linked }
}

/** Pairs a device of theirs; answers how it is known. */
export const useDevices = async (
  { http }: Functions,
  { admin, user }: { admin: Known; user: Known },
): Promise<Known> => {
  const call = async (route: string, body?: unknown, known = {}) =>
    (await http('devices', route, body, known)) as Record<string, string>
  const request = () => call('POST /api/devices/pairing/request', { requesterId: 'phone' })
  /** A device that was approved by somebody. */
  const paired = async (known: Known): Promise<Known> => {
    const { requestId, code } = await request()
    await call('POST /api/devices/pairing/approve', { code }, known)
    const { token } = await call(`GET /api/devices/pairing/status/${requestId}`)
    return { authorization: `Bearer ${token}` }
  }
  await call('GET /api/devices/identity')
  const { attestation } = await call('POST /api/devices/attest', { data: { is: 'this' } }, user)
  await call('POST /api/devices/verify', { attestation, maxAgeMs: 60_000 })
  await call('GET /api/devices/pairing/qr')
  await call('POST /api/devices/pairing/reject', { code: (await request()).code }, user)
  await call('GET /api/devices/pairing/pending', undefined, admin)
  await call('POST /api/devices/pairing/cleanup', {}, user)
  await paired(user)
  const list = async (known: Known) =>
    (await http('devices', 'GET /api/devices/paired', undefined, known)) as { devices: { id: string }[] }
  const [device] = (await list(user)).devices
  await http('auth', 'POST /api/auth/logout', {}, await paired(user))
  const known = await paired(admin)
  await list(known)
  await call(`DELETE /api/devices/paired/${device?.id}`, undefined, user)
  return known
}
