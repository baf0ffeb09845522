import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
import { httpsLink, safeLink } from '../../functions/ui/app/components/link.ts'
import { webSearchChange } from '../../functions/ui/app/views/settings/web-search-change.ts'
import { createTrackerApi, refusals } from '../fakes/trackers.ts'
import { connect } from '../journeys/client.ts'
import { moodyWorld } from '../journeys/moody.ts'
import { type OpenedService, openService } from '../journeys/opened-service.ts'
import { startProvider, type TestProvider } from '../oauth/provider.ts'
import * as github from '../webhooks/payloads/codehost.ts'
import { secretEnv, signedHeaders } from '../webhooks/signed.ts'
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
    expect(webSearchChange(config, draft)).toEqual(change)
  })
})

describe('an address that others wrote', () => {
  it('leads out of the page by https alone', () => {
    expect(httpsLink('https://example.com/1')).toBe('https://example.com/1')
    expect([safeLink('http://example.com/1'), httpsLink('http://example.com/1')]).toEqual([
      'http://example.com/1',
      undefined,
    ])
    for (const url of ['javascript:alert(1)', 'data:text/html,x', '//example.com', 7, undefined])
      expect(httpsLink(url)).toBeUndefined()
  })
})

const world = moodyWorld()
let provider: TestProvider
let service: OpenedService
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
  const env = {
    ...world.env,
    ...there,
    ...secretEnv,
    AUTH_MODE: 'cloud',
    REGISTRATION_MODE: 'open',
    REPORT_PULL_REQUESTS: 'true',
  }
  service = await openService(env)
  provider.register(service.baseUrl)
  admin = await signUp('ada')
  guest = await signUp('linus')
})
afterAll(async () => {
  await closeBrowser()
  await service?.[Symbol.asyncDispose]()
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
/** The authorize URL of a redirect, whether or not the browser follows it. */
const soundly = async ({ page, faults }: typeof admin) =>
  expectSound({ page, faults: faults.filter((fault) => !fault.includes('/authorize?')) })

inBrowser('the accounts', () => {
  it('are linked and unlinked, and say as whom, what each may do, and what stops without it', async () => {
    const page = await open(admin)
    const row = accountIn(page, 'GitHub')
    await row.getByText('Not linked').waitFor()
    await row.getByText(/Linking lets the service .*push branches/).waitFor()
    await row.getByRole('link', { name: 'Link GitHub' }).click()
    await page.waitForURL('**/settings/integrations')
    await row.getByText('as ann').waitFor()
    await row
      .getByText(/It may read private repositories, push branches.*email addresses\. It comments/)
      .waitFor()
    await accountIn(page, 'Linear').getByRole('link', { name: 'Link Linear' }).click()
    await accountIn(page, 'Linear').getByText('workspace Ann & Co').waitFor()
    await accountIn(page, 'Linear').getByText('teams Core').waitFor()
    await soundly(admin)
    await wide(page)

    provider.state.api = async ({ path }) => {
      if (path.startsWith('/user/repos?'))
        return { status: 200, body: [{ full_name: 'ann/shop', default_branch: 'trunk', private: true }] }
      return path.startsWith('/repos/ann/shop/branches?')
        ? { status: 200, body: [{ name: 'next' }] }
        : { status: 404 }
    }
    await page.keyboard.press('c')
    const form = page.getByRole('dialog', { name: 'Create task' })
    await form.locator('option[value="ann/shop"]').waitFor({ state: 'attached' })
    await form.getByLabel('Repository').fill('ann/shop')
    await form.getByPlaceholder('trunk (default)').waitFor()
    await form.locator('option[value="next"]').waitFor({ state: 'attached' })
    await form.getByRole('button', { name: 'Cancel' }).click()
    provider.state.api = undefined

    await row.getByRole('button', { name: 'Unlink GitHub' }).click()
    const dialog = page.getByRole('dialog', { name: 'Unlink GitHub' })
    await dialog.getByText(/push branches or open pull requests/).waitFor()
    expect(provider.revocations).toEqual([])
    await dialog.getByRole('button', { name: 'Unlink' }).click()
    await row.getByText('Not linked').waitFor()
    expect(provider.revocations).toHaveLength(1)
  })

  it('say what an account was not allowed, and that its provider gives no tokens any more', async () => {
    const page = await open(admin)
    provider.state.scopes.codehost = 'user:email,admin:org'
    const row = accountIn(page, 'GitHub')
    await row.getByRole('link', { name: 'Link GitHub' }).click()
    await row.getByText(/admin:org\. It may not read private repositories.*Link it again/).waitFor()
    await row.getByText('Issues with the label ai-task become tasks.').waitFor()
    provider.state.scopes.codehost = 'repo,user:email'
    await row.getByRole('link', { name: 'Link again: GitHub' }).click()
    await row.getByText(/^It may read private repositories.*It comments on the issues/).waitFor()
    await page.route('**/api/integrations/trackerb', async (route) => {
      const json = await (await route.fetch()).json()
      await route.fulfill({ json: { ...json, connected: false } })
    })
    await page.reload()
    await accountIn(page, 'Linear').getByText('Access lost').waitFor()
    await soundly(admin)
    await page.unroute('**/api/integrations/trackerb')
  })

  it('say to admins alone what commenting takes, by the setting as it is', async () => {
    const page = await open(admin)
    const row = accountIn(page, 'Linear')
    const asked = 'Linking lets the service read issues and teams'
    await row.getByText(/It may not change issues and comment\. Link it again to allow this\.$/).waitFor()
    await open(guest)
    await accountIn(guest.page, 'Linear').getByText(`${asked}.`, { exact: true }).waitFor()

    provider.state.scopes.trackerb = ['read', 'write']
    await row.getByRole('link', { name: 'Link again: Linear' }).click()
    await row.getByText('It may read issues and teams, change issues and comment. It comments').waitFor()
    await row.getByRole('button', { name: 'Unlink Linear' }).click()
    const dialog = page.getByRole('dialog', { name: 'Unlink Linear' })
    await dialog.getByText(/no longer comment on their issues/).waitFor()
    await page.keyboard.press('Escape')

    const comments = page.getByRole('checkbox', { name: 'Comment on issues' })
    await comments.click()
    await row.getByText(/^It may read issues and teams, change issues and comment\.$/).waitFor()
    await row.getByRole('button', { name: 'Unlink Linear' }).click()
    await dialog.getByText(/Chat can no longer read your Linear issues/).waitFor()
    expect(await dialog.getByText(/no longer comment/).count()).toBe(0)
    await dialog.getByRole('button', { name: 'Unlink' }).click()
    await row.getByText(`${asked}.`, { exact: true }).waitFor()
    await comments.click()
    await row.getByText(`${asked}, change issues and comment.`, { exact: true }).waitFor()
  })

  it('that the operator has not set up are not to be connected; admins are told the variables', async () => {
    for (const [opened, words] of [
      [admin, 'set TRACKERA_CLIENT_ID and TRACKERA_CLIENT_SECRET'],
      [guest, 'Ask an admin'],
    ] as const) {
      const row = accountIn(await open(opened), 'Jira')
      await row.getByText('Not set up', { exact: true }).waitFor()
      await row.getByText(words).waitFor()
      expect(await row.getByText('Link', { exact: true }).count()).toBe(0)
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
    await form.getByLabel('Search provider').selectOption('SearXNG')
    await form.getByLabel('Base URL').fill('http://127.0.0.1:9/')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.locator('[type=url][aria-invalid=true]').waitFor()
    await form.getByLabel('Search provider').selectOption('Brave Search')
    await form.getByLabel('API key').fill(KEY)
    await page.keyboard.press('Enter')
    await page.getByText('Available', { exact: true }).waitFor()
    await form.getByText('CANA******** is stored').waitFor()
    expect(await form.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    expect(await page.content()).not.toContain(KEY)
    expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain(KEY)
    await soundly(admin)
    await wide(page)

    await open(guest)
    await guest.page.getByText('Only admins can change this').waitFor()
    expect(await guest.page.getByLabel('API key').isDisabled()).toBe(true)
    expect(await guest.page.getByRole('button', { name: /save/i }).count()).toBe(0)
    await soundly(guest)

    await form.getByLabel('Remove the stored key').check()
    await form.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Brave Search has no apiKey').first().waitFor()
  })
})

inBrowser('where results are reported', () => {
  it('is switched by admins, where the environment does not decide', async () => {
    const page = await open(admin)
    const comments = page.getByRole('checkbox', { name: 'Comment on issues' })
    const stored = async () => (await (await page.request.get('/api/settings')).json()).settings.reporting
    for (const isOn of [false, true]) {
      await comments.click()
      await page.getByText(`Comment on issues: ${isOn ? 'on' : 'off'}`).waitFor()
      expect(await comments.isChecked()).toBe(isOn)
      expect(await stored()).toMatchObject({ comments: isOn })
    }
    const pullRequests = page.getByLabel('Open pull requests')
    expect([await pullRequests.isDisabled(), await pullRequests.isChecked()]).toEqual([true, true])
    await page.getByText('Set by REPORT_PULL_REQUESTS in the environment.').waitFor()
    await soundly(admin)
    await wide(page)
    await open(guest)
    await guest.page.getByRole('form', { name: 'Web search' }).waitFor()
    expect(await guest.page.getByRole('checkbox', { name: 'Comment on issues' }).count()).toBe(0)
  })

  const reportedPanel = ({ page }: typeof admin) => page.getByRole('region', { name: 'Reporting' })
  /** Labels an issue; resolves to the task. */
  const label = async (number: number): Promise<string> => {
    const body = JSON.stringify(github.issueLabeled('ai-task', { number }))
    const headers = signedHeaders({
      sender: 'codehost',
      body,
      event: 'issues',
      delivery: `delivery-${number}`,
    })
    const answer = await fetch(`${service.baseUrl}/api/webhooks/codehost`, { method: 'POST', headers, body })
    return (await answer.json()).task.id
  }

  it('is on the page of a task, which follows the answer at the issue as it goes', async () => {
    const trackers = createTrackerApi()
    provider.state.api = async (call) => {
      trackers.state.token = String(call.headers.authorization).replace(/^Bearer /, '')
      return trackers.call(call)
    }
    const isSent = Promise.withResolvers<void>()
    trackers.state.after = () => isSent.promise
    await open(admin, `/tasks/${await label(12)}`)
    const panel = reportedPanel(admin)
    await panel.getByText('The comment on the GitHub issue is pending').waitFor()
    isSent.resolve()
    await panel.getByText('Commented on the GitHub issue').waitFor()
    const link = panel.getByRole('link', { name: 'the GitHub issue' })
    expect([await link.getAttribute('href'), await link.getAttribute('rel')]).toEqual([
      expect.stringMatching(/^https:\/\/github\.com\/acme\/shop\/issues\/12#issuecomment-\d+$/),
      'noopener noreferrer',
    ])
    await soundly(admin)

    trackers.state.answer = () => refusals(Date.now(), 'Not on my watch').forbidden.codehost
    await open(admin, `/tasks/${await label(13)}`)
    await panel.getByText(/^Commenting on the GitHub issue failed/).waitFor()
    expect(await panel.innerText()).toMatch(/Not on my watch.*\(comment_forbidden\)/)
    expect(await panel.getByRole('link').allInnerTexts()).toEqual(['Integrations'])
  })

  it.each<[string, object, RegExp, readonly string[]]>([
    [
      'a pull request',
      { status: 'published', pullRequest: { number: 12, url: 'https://example.com/pull/12' } },
      /Pull request #12 from the branch agent\/one/,
      ['https://example.com/pull/12'],
    ],
    [
      'a pull request at an address that is none of https',
      { status: 'published', pullRequest: { number: 12, url: 'javascript:alert(1)' } },
      /Pull request #12 from the branch agent\/one/,
      [],
    ],
    ['a branch', { status: 'published' }, /Pushed to the branch agent\/one/, []],
    [
      'why there is none',
      { status: 'failed', error: { code: 'push_refused', message: 'The account may not push' } },
      /Publishing the changes on agent\/one failed: The account may not push \(push_refused\)/,
      ['/settings/integrations'],
    ],
  ])('is with the result of an agent: %s', async (_what, published, words, ways) => {
    const cookies = (await admin.context.cookies()).map(({ name, value }) => `${name}=${value}`)
    const api = connect(service.baseUrl, { cookie: cookies.join('; ') })
    const metadata = { published: { branch: 'agent/one', ...published } }
    const { id } = await api.perform({ title: 'Done', metadata })
    const page = await open(admin, `/tasks/${id}`)
    await reportedPanel(admin).getByText(words).waitFor()
    const links = await reportedPanel(admin).getByRole('link').all()
    expect(await Promise.all(links.map((link) => link.getAttribute('href')))).toEqual(ways)
    expect(await page.getByText('Details of the run').count()).toBe(0)
  })
})
