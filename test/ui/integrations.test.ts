import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
import { linkOf, secureLinkOf } from '../../functions/ui/app/components/link.ts'
import { changeOf } from '../../functions/ui/app/views/settings/web-search-change.ts'
import { connect } from '../journeys/client.ts'
import { moodyWorld } from '../journeys/moody.ts'
import { type Service, startService } from '../journeys/service.ts'
import { startProvider, type TestProvider } from '../oauth/provider.ts'
import { closeBrowser, hasBrowser, openPage } from './browser.ts'
import { inBrowser } from './in-browser.ts'
import { expectSound } from './sound.ts'

const KEY = 'CANARY-key-of-the-search'

describe('what is saved of the web search', () => {
  const config = { enabled: true, provider: 'searxng' as const, searxng: { baseUrl: 'https://a.example' } }
  it.each([
    [{}, {}],
    [{ enabled: true, provider: 'searxng' as const, baseUrl: ' https://a.example ' }, {}],
    [{ baseUrl: '' }, { searxng: { baseUrl: null } }],
    [{ apiKey: ' k ' }, { searxng: { apiKey: 'k' } }],
    [
      { provider: 'brave' as const, isKeyRemoved: true },
      { provider: 'brave', brave: { apiKey: null } },
    ],
  ])('of %j is %j', (draft, change) => {
    expect(changeOf(config, draft)).toEqual(change)
  })
})

describe('an address that others wrote', () => {
  it('leads out of the page by https alone', () => {
    expect(secureLinkOf('https://example.com/1')).toBe('https://example.com/1')
    expect([linkOf('http://example.com/1'), secureLinkOf('http://example.com/1')]).toEqual([
      'http://example.com/1',
      undefined,
    ])
    for (const url of ['javascript:alert(1)', 'data:text/html,x', '//example.com', 7, undefined])
      expect(secureLinkOf(url)).toBeUndefined()
  })
})

const world = moodyWorld()
let provider: TestProvider
let service: Service
let admin: Awaited<ReturnType<typeof openPage>>
let guest: typeof admin

const signUp = async (name: string) => {
  const opened = await openPage(service.baseUrl, '/login')
  const data = { password: 'correct horse 1', email: `${name}@example.com`, name }
  expect((await opened.context.request.post('/api/auth/signup', { data })).status()).toBe(200)
  return opened
}

beforeAll(async () => {
  if (!hasBrowser) return
  provider = await startProvider()
  const { TRACKERA_CLIENT_ID: _id, TRACKERA_CLIENT_SECRET: _secret, ...there } = provider.env()
  const env = { ...world.env, ...there, AUTH_MODE: 'cloud', REGISTRATION_MODE: 'open' }
  service = await startService({ env, mostMs: 300_000 })
  provider.register(service.baseUrl)
  admin = await signUp('ada')
  guest = await signUp('linus')
}, 120_000)
afterAll(async () => {
  await closeBrowser()
  await service?.stop()
  await provider?.[Symbol.asyncDispose]()
  world[Symbol.dispose]()
})

const wide = (page: Page) => page.setViewportSize({ width: 1280, height: 800 })
const open = async ({ page }: typeof admin, path = '/settings/integrations') => {
  await page.goto(path)
  await wide(page)
  return page
}
const accountIn = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Your accounts' }).getByRole('listitem').filter({ hasText: name })
/** Where a provider would ask the person is named in a redirect: the browser tells of it, whether it goes there or not. */
const soundly = async ({ page, faults }: typeof admin) =>
  expectSound({ page, faults: faults.filter((fault) => !fault.includes('/authorize?')) })

inBrowser('the accounts', () => {
  it('are connected and disconnected, and say as whom, what each may do, and what stops without it', async () => {
    const page = await open(admin)
    const row = accountIn(page, 'Code host')
    await row.getByText('Not connected').waitFor()
    await row.getByText(/Connecting lets the service .*push branches/).waitFor()
    await row.getByRole('link', { name: 'Connect: Code host' }).click()
    await page.waitForURL('**/settings/integrations')
    await row.getByText('as ann').waitFor()
    await row.getByText(/It may read private repositories, push branches.*e-mail addresses\.$/).waitFor()
    await accountIn(page, 'Tracker B').getByRole('link', { name: 'Connect: Tracker B' }).click()
    await accountIn(page, 'Tracker B').getByText('workspace Ann & Co').waitFor()
    await accountIn(page, 'Tracker B').getByText('teams Core').waitFor()
    await soundly(admin)
    await wide(page)

    await row.getByRole('button', { name: 'Disconnect: Code host' }).click()
    const dialog = page.getByRole('dialog', { name: 'Disconnect: Code host' })
    await dialog.getByText(/push no branches and open no pull requests/).waitFor()
    expect(provider.revocations).toEqual([])
    await dialog.getByRole('button', { name: 'Disconnect' }).click()
    await row.getByText('Not connected').waitFor()
    expect(provider.revocations).toHaveLength(1)
  }, 90_000)

  it('say what an account was not allowed, and that its provider gives no tokens any more', async () => {
    const page = await open(admin)
    const answer = (json: object) =>
      page.route('**/api/integrations/codehost', (route) =>
        route.fulfill({ json: { scopes: [], webhookConfigured: true, aiTaskLabel: 'ai-task', ...json } }),
      )
    await answer({ connected: true, username: 'ann', scopes: ['user:email', 'admin:org'] })
    await page.reload()
    const row = accountIn(page, 'Code host')
    await row.getByText(/admin:org\. It may not read private repositories.*Connect it again/).waitFor()
    await row.getByText('Issues with the label ai-task become tasks.').waitFor()
    await page.unroute('**/api/integrations/codehost')
    await page.route('**/api/integrations/trackerb', (route) =>
      route.fulfill({ json: { connected: false, teams: [] } }),
    )
    await page.reload()
    await accountIn(page, 'Tracker B').getByText('Connection lost').waitFor()
    await soundly(admin)
    await page.unroute('**/api/integrations/trackerb')
  })

  it('that the operator has not set up are not to be connected; admins are told the variables', async () => {
    for (const [opened, words] of [
      [admin, 'set TRACKERA_CLIENT_ID and TRACKERA_CLIENT_SECRET'],
      [guest, 'Ask an admin'],
    ] as const) {
      const row = accountIn(await open(opened), 'Tracker A')
      await row.getByText('Not set up', { exact: true }).waitFor()
      await row.getByText(words).waitFor()
      expect(await row.getByRole('button', { name: 'Connect: Tracker A' }).isDisabled()).toBe(true)
    }
    expect(await guest.page.getByText('CLIENT_SECRET').count()).toBe(0)
  })
})

inBrowser('the web search', () => {
  it('is chosen and given its key by an admin, who never sees the key again and is told what is refused', async () => {
    const page = await open(admin)
    const form = page.getByRole('form', { name: 'Web search' })
    await page.getByText('Web search is disabled').waitFor()
    await form.getByLabel('Agents may search the web').check()
    await form.getByLabel('Search by').selectOption('SearXNG')
    await form.getByLabel('Base URL').fill('http://127.0.0.1:9/')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.locator('[type=url][aria-invalid=true]').waitFor()
    await form.getByLabel('Search by').selectOption('Brave Search')
    await form.getByLabel('API key').fill(KEY)
    await page.keyboard.press('Enter')
    await page.getByText('Available', { exact: true }).waitFor()
    await form.getByText('CANA******** is stored').waitFor()
    await form.getByRole('button', { name: 'Nothing to save' }).waitFor()
    expect(await page.content()).not.toContain(KEY)
    expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain(KEY)
    await soundly(admin)
    await wide(page)

    await open(guest)
    await guest.page.getByText('Changing this is for admins').waitFor()
    expect(await guest.page.getByLabel('API key').isDisabled()).toBe(true)
    expect(await guest.page.getByRole('button', { name: /save/i }).count()).toBe(0)
    await soundly(guest)

    await form.getByLabel('Remove the stored key').check()
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Brave Search has no apiKey').first().waitFor()
  }, 90_000)
})

inBrowser('where results are reported', () => {
  it('is switched by admins where the installation has settings for it', async () => {
    const page = await open(admin)
    const reporting: Record<string, boolean> = { comments: false, pullRequests: true }
    const sent: unknown[] = []
    let isThere = true
    await page.route('**/api/settings', async (route) => {
      const request = route.request()
      const isChange = request.method() === 'PATCH'
      if (isChange) {
        sent.push(request.postDataJSON())
        Object.assign(reporting, request.postDataJSON().reporting)
      }
      const { settings, sources } = await (await page.request.get('/api/settings')).json()
      const { reporting: _own, ...others } = settings
      const more = { 'reporting.comments': 'stored', 'reporting.pullRequests': 'environment' }
      await route.fulfill({
        json: {
          ...(isChange ? { message: 'Settings changed' } : {}),
          settings: isThere ? { ...others, reporting } : others,
          sources: { ...sources, ...more },
        },
      })
    })
    await page.reload()
    const comments = page.getByRole('checkbox', { name: 'Answer at issues' })
    await comments.click()
    await page.getByText('Answer at issues: on').waitFor()
    expect(await comments.isChecked()).toBe(true)
    expect(sent).toEqual([{ reporting: { comments: true } }])
    expect(await page.getByLabel('Open pull requests').isDisabled()).toBe(true)
    await soundly(admin)
    await wide(page)
    isThere = false
    await page.reload()
    await page.getByRole('form', { name: 'Web search' }).waitFor()
    await page.waitForLoadState('networkidle')
    expect(await comments.count()).toBe(0)
    await page.unroute('**/api/settings')
  })

  it('is on the page of a task, with ways out by https alone and errors in words', async () => {
    const cookies = (await admin.context.cookies()).map(({ name, value }) => `${name}=${value}`)
    const { id } = await connect(service.baseUrl, { cookie: cookies.join('; ') }).perform({ title: 'Done' })
    const { page } = admin
    const show = async (report: object, published: object) => {
      await page.unroute(`**/api/tasks/${id}`)
      await page.route(`**/api/tasks/${id}`, async (route) => {
        const { task } = await (await route.fetch()).json()
        const result = { ...task.result, published }
        await route.fulfill({ json: { task: { ...task, report, result } } })
      })
      await open(admin, `/tasks/${id}`)
      return page.getByRole('region', { name: 'Where it was reported' })
    }
    const panel = await show(
      {
        ...{ provider: 'codehost', status: 'reported', reportedAt: new Date().toISOString() },
        url: 'https://example.com/issues/1#comment',
      },
      {
        status: 'published',
        branch: 'agent/one',
        pullRequest: { number: 12, url: 'https://example.com/pull/12' },
      },
    )
    const link = panel.getByRole('link', { name: 'Pull request #12' })
    await link.waitFor()
    expect([await link.getAttribute('href'), await link.getAttribute('rel')]).toEqual([
      'https://example.com/pull/12',
      'noopener noreferrer',
    ])
    expect(await panel.innerText()).toMatch(
      /from the branch agent\/one\s+Answered at the issue at the code host/,
    )
    expect(await page.getByText('Details of the run').count()).toBe(0)
    await soundly(admin)

    const error = { code: 'push_refused', message: 'The account may not push' }
    const failed = await show(
      { provider: 'trackera', status: 'failed', url: 'javascript:alert(1)', error },
      { status: 'failed', branch: 'agent/two', error },
    )
    await failed.getByText('Not answered at the issue at tracker A').waitFor()
    expect(await failed.innerText()).toContain('The account may not push (push_refused)')
    const ways = await failed.getByRole('link').allInnerTexts()
    expect(ways).toEqual(['Integrations', 'Integrations'])
    const waiting = await show(
      { provider: 'trackerb', status: 'pending' },
      { branch: 'agent/three', status: 'published' },
    )
    await waiting.getByText('Pushed to the branch agent/three').waitFor()
    await waiting.getByText('The answer at the issue at tracker B is on its way').waitFor()
    await page.unroute(`**/api/tasks/${id}`)
  }, 90_000)
})
