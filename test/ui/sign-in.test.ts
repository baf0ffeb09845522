import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
import { failures, failureText } from '../../functions/ui/app/views/login/failures.ts'
import { safePath } from '../../functions/ui/app/views/login/safe-path.ts'
import { FailureSchema } from '../../lib/oauth/schema.ts'
import { type OpenedService, openService } from '../journeys/opened-service.ts'
import { closeBrowser, hasBrowser, openPage } from './browser.ts'
import { expectSound } from './sound.ts'

const ORIGIN = 'https://tasks.example'

describe('the way back from the sign-in', () => {
  it.each([
    ['/tasks?status=failed#top', '/tasks?status=failed#top'],
    ['//evil.example/x', '/'],
    ['/\\evil.example', '/'],
    ['/\t/evil.example', '/'],
    ['/.//evil.example', '/'],
    ['https://evil.example', '/'],
    ['javascript:alert(1)', '/'],
    ['/login?from=/login', '/'],
    [undefined, '/'],
  ])('of %j is %j', (from, to) => expect(safePath(from, ORIGIN)).toBe(to))
})

describe('what is said when a provider refused a sign-in', () => {
  it('is there for every reason of the service', () => {
    expect(Object.keys(failures).sort()).toEqual([...FailureSchema.options].sort())
  })
  it('is nothing of what the address says', () => {
    expect(failureText('Call 555-0100 for help')).toBe(failures.oauth_failed)
    expect(failureText('toString')).toBe(failures.oauth_failed)
  })
})

const SUBSCRIPTION = {
  endpoint: 'https://127.0.0.1:9/browser',
  keys: {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
  device: 'Chrome on Linux',
  topics: ['results'],
}

// test/ui/browser.ts gives the reason by process.stderr.write().
const within = hasBrowser ? describe : describe.skip

within('the sign-in', () => {
  let [cloud, local]: OpenedService[] = []
  let visits = 0
  const elsewhere = createServer((_request, response) => {
    visits += 1
    response.end()
  })

  beforeAll(async () => {
    if (!hasBrowser) return
    await once(elsewhere.listen(0, '127.0.0.1'), 'listening')
    const { port } = elsewhere.address() as AddressInfo
    const provider = (name: string) => ({
      [`${name}_CLIENT_ID`]: 'id',
      [`${name}_CLIENT_SECRET`]: 'secret',
      [`${name}_AUTHORIZE_URL`]: `http://127.0.0.1:${port}/authorize`,
    })
    const providers = { ...provider('CODEHOST'), ...provider('TRACKERB') }
    ;[cloud, local] = await Promise.all([
      openService({ AUTH_MODE: 'cloud', OUTBOUND_ALLOW_HOSTS: '127.0.0.1', ...providers }),
      openService({ ACCESS_KEY: 'a key of ours' }),
    ])
  })
  afterAll(async () => {
    elsewhere.close()
    await Promise.all([closeBrowser(), cloud?.[Symbol.asyncDispose](), local?.[Symbol.asyncDispose]()])
  })
  const at = (service: OpenedService | undefined) => service?.baseUrl ?? ''

  const fill = async (page: Page, texts: Readonly<Record<string, string>>) => {
    for (const [label, text] of Object.entries(texts)) await page.getByLabel(label).fill(text)
    await page.keyboard.press('Enter')
  }

  it('makes the first account, says what is wrong at its field, and goes to where one was led from', async () => {
    await using open = await openPage(at(cloud), '/tasks?q=x')
    await open.page.waitForURL('**/login?from=**')
    await open.page.getByRole('heading', { name: 'Create the admin account' }).waitFor()
    await expect(open.page.getByLabel('Invite code').count()).resolves.toBe(0)
    await fill(open.page, { Name: 'Ada', Email: 'ada@example.com', Password: 'short' })
    const password = open.page.getByLabel('Password')
    await expect(password.getAttribute('autocomplete')).resolves.toBe('new-password')
    await open.page.locator('input[name=password][aria-invalid=true]:focus').waitFor()
    await expect(open.page.locator('label', { has: password }).innerText()).resolves.toContain(
      'Must have at least 8 characters, must contain a number',
    )
    await fill(open.page, { Password: 'correct horse 1' })
    await open.page.waitForURL(`${at(cloud)}/tasks?q=x`)
    expect(open.faults).toEqual([])
  })

  it('signs out and in again, and never leads to another origin', async () => {
    await using open = await openPage(at(cloud), '/login?from=//evil.example/tasks')
    await open.page.getByRole('link', { name: 'Sign up' }).waitFor()
    await fill(open.page, { Email: 'ada@example.com', Password: 'wrong horse 1' })
    await open.page.getByRole('alert').filter({ hasText: 'password is wrong' }).waitFor()
    await fill(open.page, { Password: 'correct horse 1' })
    await open.page.waitForURL(`${at(cloud)}/`)
    await open.page.getByLabel('Prompt').first().fill('A private plan')
    const tab = await open.context.newPage()
    await tab.goto(`${at(cloud)}/tasks`)
    await tab.getByText('A private plan').waitFor()
    await open.page.getByRole('button', { name: 'Ada', exact: true }).click()
    await open.page.getByRole('button', { name: 'Sign out' }).click()
    await open.page.waitForURL('**/login')
    // Who signs in next in another tab, without a reload, is not shown what was typed.
    await tab.waitForURL('**/login**')
    await fill(tab, { Email: 'ada@example.com', Password: 'correct horse 1' })
    await tab.getByRole('button', { name: 'Ada', exact: true }).waitFor()
    expect(await tab.getByText('A private plan').count()).toBe(0)
    await tab.getByRole('button', { name: 'Ada', exact: true }).click()
    await tab.getByRole('button', { name: 'Sign out' }).click()
    await tab.waitForURL('**/login')
    await tab.close()
    await open.page.goto('/settings/tokens')
    await open.page.waitForURL('**/login?from=%2Fsettings%2Ftokens')
    expect(open.faults).toEqual([])
  })

  it('turns notifications off in the browser that one signs out in', async () => {
    await using open = await openPage(at(cloud), '/login')
    const { page } = open
    await fill(page, { Email: 'ada@example.com', Password: 'correct horse 1' })
    await page.getByRole('button', { name: 'Ada', exact: true }).waitFor()
    const ended = new Promise<void>((resolve) => page.exposeFunction('endedInBrowser', resolve))
    // A browser of a test reaches no push service.
    const id = await page.evaluate(async (body) => {
      await navigator.serviceWorker.register('/push-worker.js')
      const { endedInBrowser } = globalThis as unknown as { endedInBrowser: () => void }
      Object.assign(PushManager.prototype, { getSubscription: async () => ({ unsubscribe: endedInBrowser }) })
      const headers = { 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      const { subscription } = await (await fetch('/api/alerts/subscriptions', init)).json()
      localStorage.setItem('subscription-of-this-browser', subscription.id)
      return subscription.id
    }, SUBSCRIPTION)
    await page.getByRole('button', { name: 'Ada', exact: true }).click()
    const [removed] = await Promise.all([
      page.waitForResponse((answer) => answer.url().endsWith(`/api/alerts/subscriptions/${id}`)),
      page.getByRole('button', { name: 'Sign out' }).click(),
    ])
    expect([removed.request().method(), removed.status()]).toEqual(['DELETE', 200])
    await ended
    await page.waitForURL('**/login')
  })

  it('asks for the access key, and says when one may try again after too many', async () => {
    await using open = await openPage(at(local), '/login?from=/settings')
    const guess = () => open.context.request.post('/api/auth/verify-access-key', { data: { key: 'a guess' } })
    await fill(open.page, { 'Access key': 'not it' })
    await open.page.getByRole('alert').filter({ hasText: 'The access key is wrong' }).waitFor()
    while ((await guess()).status() !== 429);
    await fill(open.page, { 'Access key': 'a key of ours' })
    const refusal = open.page.getByRole('alert').filter({ hasText: 'Too many' })
    expect(await refusal.innerText()).toMatch(/Try again in [01]:\d\d/)
  })

  it('offers the providers that are configured, without beginning a sign-in with any', async () => {
    await using open = await openPage(at(cloud), '/login')
    await open.page.getByRole('link', { name: 'Continue with' }).first().waitFor()
    const names = await open.page.getByRole('link', { name: 'Continue with' }).allInnerTexts()
    expect(names).toEqual(['Continue with GitHub', 'Continue with Linear'])
    expect([await open.context.cookies(), visits]).toEqual([[], 0])
  })

  it.each(['/login?error=invite_required', '/signup'])('is sound at %s', async (path) => {
    await using open = await openPage(at(cloud), path)
    await open.page.getByRole('link', { name: 'Continue with' }).first().waitFor()
    await expectSound(open)
  })
})
