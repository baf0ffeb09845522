import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { agentName } from '../../functions/ui/app/views/settings/agent-name.ts'
import { type OpenedService, openService } from '../journeys/opened-service.ts'
import { closeBrowser, hasBrowser, openPage } from './browser.ts'
import { expectSound } from './sound.ts'

const LINUX =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

describe('what a session is called', () => {
  it.each([
    [LINUX, 'Chrome on Linux'],
    [`${LINUX} Edg/140.0`, 'Edge on Linux'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1', 'Safari on iPhone'],
    ['curl/8.5.0', 'curl/8.5.0'],
    [undefined, 'Unknown client'],
  ])('%s is %s', (userAgent, name) => expect(agentName(userAgent)).toBe(name))
})

// test/ui/browser.ts gives the reason by process.stderr.write().
const within = hasBrowser ? describe : describe.skip

within('passwords and sessions', () => {
  let service: OpenedService | undefined
  let admin: Awaited<ReturnType<typeof openPage>>
  const baseUrl = () => service?.baseUrl ?? ''

  const post = async (open: typeof admin, path: string, data: Readonly<Record<string, string>>) =>
    expect((await open.context.request.post(path, { data })).status()).toBe(200)

  beforeAll(async () => {
    if (!hasBrowser) return
    const env = { AUTH_MODE: 'cloud', REGISTRATION_MODE: 'open' }
    service = await openService(env)
    admin = await openPage(baseUrl(), '/login')
    const ada = { email: 'ada@example.com', name: 'Ada', password: 'correct horse 1' }
    await post(admin, '/api/auth/signup', ada)
  })
  afterAll(async () => {
    await Promise.all([closeBrowser(), service?.[Symbol.asyncDispose]()])
  })

  it('sign a phone in by a code that it scans, which the page says', async () => {
    const { page } = admin
    await page.goto('/settings/devices')
    const answered = page.waitForResponse((answer) => answer.url().endsWith('/api/auth/phone'))
    await page.getByRole('button', { name: 'Show sign-in code' }).click()
    const picture = page.getByRole('img', { name: 'QR code that signs a phone in' })
    await picture.waitFor()
    const { url } = await (await answered).json()
    const phone = {
      viewport: { width: 390, height: 844 },
      userAgent: 'Mozilla/5.0 (iPhone) Version/18.0 Safari/604.1',
    }
    const { pathname, hash } = new URL(url)
    await using scanned = await openPage(baseUrl(), `${pathname}#of-somebody-else`, phone)
    const sent: unknown[] = []
    scanned.page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.postDataJSON())
    })
    const signIn = scanned.page.getByRole('button', { name: 'Sign in on this phone' })
    await signIn.waitFor()
    await expectSound(scanned)
    expect(new URL(scanned.page.url()).hash).toBe('')
    // Another link in the same tab, which the browser opens without loading the page.
    await scanned.page.evaluate((code) => location.assign(code), hash)
    await scanned.page.waitForURL((address) => address.hash === '')
    expect(sent).toEqual([])
    await signIn.click()
    await scanned.page.getByRole('heading', { name: 'What should an agent do?' }).waitFor()
    expect(sent).toContainEqual({ code: hash.slice(1) })
    await page.getByRole('status').filter({ hasText: 'Your phone is signed in as Ada.' }).waitFor()
    await expectSound(admin)
    await using late = await openPage(baseUrl(), pathname + hash, phone)
    await late.page.getByRole('button', { name: 'Sign in on this phone' }).click()
    await late.page.getByRole('heading', { name: 'Not signed in' }).waitFor()
    await late.page.getByText('This link is wrong, used or expired').waitFor()
    await expectSound(late)
    await page.goto('/settings/sessions')
    await page.getByRole('listitem').filter({ hasText: 'Safari on iPhone' }).getByRole('button').click()
    await page.getByRole('dialog').getByRole('button').last().click()
    await page
      .getByRole('list', { name: 'Sessions' })
      .getByRole('listitem')
      .nth(1)
      .waitFor({ state: 'detached' })
  })

  it('change one’s own, which ends the session in another browser and not this one', async () => {
    await using other = await openPage(baseUrl(), '/login')
    await post(other, '/api/auth/login', { email: 'ada@example.com', password: 'correct horse 1' })
    const { page } = admin
    await page.goto('/settings/sessions')
    const list = page.getByRole('list', { name: 'Sessions' })
    await list.getByRole('listitem').nth(1).waitFor()
    await page.getByLabel('Current password').fill('wrong horse 1')
    await page.getByLabel('New password').fill('battery staple 2')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'The current password is wrong' }).waitFor()
    await page.getByLabel('Current password').fill('correct horse 1')
    await page.keyboard.press('Enter')
    await page.getByText('Password changed').waitFor()
    await list.getByRole('listitem').nth(1).waitFor({ state: 'detached' })
    expect(await list.getByRole('listitem').innerText()).toContain('This session')
    await other.page.goto('/settings')
    await other.page.waitForURL('**/login**')
  })

  it('end one session, and all others', async () => {
    const { page } = admin
    const others = await Promise.all(Array.from({ length: 3 }, () => openPage(baseUrl(), '/login')))
    for (const other of others)
      await post(other, '/api/auth/login', { email: 'ada@example.com', password: 'battery staple 2' })
    await page.goto('/settings/sessions')
    const rows = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem')
    await rows.nth(3).waitFor()
    await rows.getByRole('button', { name: 'Revoke the session of' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
    await rows.nth(3).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Revoke all others' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke all others' }).click()
    await rows.nth(1).waitFor({ state: 'detached' })
    await page.reload()
    await rows.first().waitFor()
    for (const other of others) {
      expect((await other.context.request.get('/api/tasks')).status()).toBe(401)
      await other[Symbol.asyncDispose]()
    }
  })

  it('are set anew with the code of an admin, from the sign-in', async () => {
    const { page } = admin
    await using guest = await openPage(baseUrl(), '/login')
    const linus = { email: 'linus@example.com', name: 'Linus', password: 'correct horse 2' }
    await post(guest, '/api/auth/signup', linus)
    await guest.context.clearCookies()
    await page.goto('/settings/users')
    await page.getByRole('button', { name: 'Reset code for Linus' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Create code' }).click()
    const code = await page.getByRole('status').locator('code').innerText()
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click()
    await guest.page.goto('/login')
    await guest.page.getByRole('link', { name: 'Forgot your password?' }).click()
    // Only the reset page has a field for the code.
    await guest.page.getByLabel('Reset code').fill('not it')
    await guest.page.getByLabel('Email').fill('linus@example.com')
    await guest.page.getByLabel('New password').fill('silver fork 3')
    await guest.page.keyboard.press('Enter')
    await guest.page.getByRole('alert').filter({ hasText: 'the code is wrong' }).waitFor()
    await guest.page.getByLabel('Reset code').fill(code)
    await guest.page.keyboard.press('Enter')
    await guest.page.getByRole('button', { name: 'Linus', exact: true }).waitFor()
    await expectSound(admin)
  })

  it('are sound at /settings/sessions', async () => {
    await admin.page.goto('/settings/sessions')
    await admin.page.getByText('This session').waitFor()
    await expectSound(admin)
  })

  it('are sound at /reset', async () => {
    await using open = await openPage(baseUrl(), '/reset')
    await open.page.getByLabel('Reset code').waitFor()
    await expectSound(open)
  })
})
