import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { failures, failureText } from '../../functions/ui/app/views/login/failures.ts'
import { safePath } from '../../functions/ui/app/views/login/safe-path.ts'
import { FailureSchema } from '../../lib/oauth/schema.ts'
import { type OpenedService, openService } from '../journeys/opened-service.ts'
import { closeBrowser, hasBrowser, openPage } from './browser.ts'
import { submit } from './submit.ts'

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

// test/ui/browser.ts gives the reason by process.stderr.write().
const within = hasBrowser ? describe : describe.skip

within('the sign-in', () => {
  let cloud: OpenedService | undefined
  beforeAll(async () => {
    if (hasBrowser) cloud = await openService({ AUTH_MODE: 'cloud' })
  })
  afterAll(async () => {
    await closeBrowser()
    await cloud?.[Symbol.asyncDispose]()
  })
  const baseUrl = () => cloud?.baseUrl ?? ''

  it('makes the first account, says what is wrong at its field, and goes to where one was led from', async () => {
    await using open = await openPage(baseUrl(), '/tasks?q=x')
    await open.page.waitForURL('**/login?from=**')
    await open.page.getByRole('heading', { name: 'Create the admin account' }).waitFor()
    await expect(open.page.getByLabel('Invite code').count()).resolves.toBe(0)
    await submit(open.page, { Name: 'Ada', Email: 'ada@example.com', Password: 'short' })
    const password = open.page.getByLabel('Password')
    await expect(password.getAttribute('autocomplete')).resolves.toBe('new-password')
    await open.page.locator('input[name=password][aria-invalid=true]:focus').waitFor()
    await expect(open.page.locator('label', { has: password }).innerText()).resolves.toContain(
      'Must have at least 8 characters, must contain a number',
    )
    await submit(open.page, { Password: 'correct horse 1' })
    await open.page.waitForURL(`${baseUrl()}/tasks?q=x`)
    expect(open.faults).toEqual([])
  })

  it('signs out and in again, and never leads to another origin', async () => {
    await using open = await openPage(baseUrl(), '/login?from=//evil.example/tasks')
    await open.page.getByRole('link', { name: 'Sign up' }).waitFor()
    await submit(open.page, { Email: 'ada@example.com', Password: 'wrong horse 1' })
    await open.page.getByRole('alert').filter({ hasText: 'password is wrong' }).waitFor()
    await submit(open.page, { Password: 'correct horse 1' })
    await open.page.waitForURL(`${baseUrl()}/`)
    await open.page.getByLabel('Prompt').first().fill('A private plan')
    const tab = await open.context.newPage()
    await tab.goto(`${baseUrl()}/tasks`)
    await tab.getByText('A private plan').waitFor()
    await open.page.getByRole('button', { name: 'Ada', exact: true }).click()
    await open.page.getByRole('button', { name: 'Sign out' }).click()
    await open.page.waitForURL('**/login')
    // Who signs in next in another tab, without a reload, is not shown what was typed.
    await tab.waitForURL('**/login**')
    await submit(tab, { Email: 'ada@example.com', Password: 'correct horse 1' })
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
})
