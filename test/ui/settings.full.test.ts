import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { formatMs, parseMs } from '../../functions/ui/app/components/durations.ts'
import { startMailServer } from '../alerts/mail-server.ts'
import { freePort } from '../bench/free-port.ts'
import { startWire, status, type Wire } from '../fakes/model-wire.ts'
import { finishedTasks } from '../fixtures/finished-tasks.ts'
import { type OpenedService, openService } from '../journeys/opened-service.ts'
import { violationsIn } from './axe.ts'
import { closeBrowser, hasBrowser, openPage } from './browser.ts'
import { expectSound } from './sound.ts'

const TOKEN = /svc_\w{20,}/

describe('a duration among the settings', () => {
  it.each([
    [0, '0s'],
    [840, '840ms'],
    [1_500, '1.5s'],
    [90_000, '1m 30s'],
    [43_200_000, '12h'],
    [93_784_005, '1d 2h 3m 4.005s'],
  ])('of %i ms reads %s, and is read back to the same', (ms, text) => {
    expect(formatMs(ms)).toBe(text)
    expect(parseMs(text)).toBe(ms)
  })

  it.each([
    ['1500', 1_500],
    [' 0.5 H ', 1_800_000],
    ['1m30s', 90_000],
    ['soon', undefined],
    ['5 m or so', undefined],
    ['', undefined],
  ])('that is typed as %j is %p ms', (text, ms) => {
    expect(parseMs(text)).toBe(ms)
  })
})

// test/ui/browser.ts gives the reason by process.stderr.write().
const within = hasBrowser ? describe : describe.skip

within('the settings', () => {
  let service: OpenedService | undefined
  let wire: Wire | undefined
  let admin: Awaited<ReturnType<typeof openPage>>
  const baseUrl = () => service?.baseUrl ?? ''

  const failed: string[] = []

  const signUp = async (open: typeof admin, data: Readonly<Record<string, string>>) => {
    const answer = await open.context.request.post('/api/auth/signup', {
      data: { password: 'correct horse 1', ...data },
    })
    expect(answer.status()).toBe(200)
  }

  beforeAll(async () => {
    if (!hasBrowser) return
    wire = await startWire(status(401, { error: { message: 'Incorrect API key provided' } }))
    const env = {
      AUTH_MODE: 'cloud',
      QUEUE_CONCURRENCY: '7',
      OPENAI_BASE_URL: `${wire.origin}/v1`,
      GROQ_API_KEY: 'planted-key-of-the-environment',
    }
    service = await openService(env)
    admin = await openPage(baseUrl(), '/login')
    admin.page.on('response', (answer) => {
      if (answer.status() >= 500) failed.push(`${answer.status()} ${answer.url()}`)
    })
    await signUp(admin, { email: 'ada@example.com', name: 'Ada' })
  })
  afterAll(async () => {
    await Promise.all([closeBrowser(), service?.[Symbol.asyncDispose](), wire?.close()])
  })

  it('take a model key that was checked, show it masked, and remove it; one of the environment stays', async () => {
    const { page } = admin
    const key = 'planted-key-of-the-page'
    await page.goto('/agents')
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Codex' })
      .getByRole('link', { name: 'model key' })
      .click()
    await page.getByRole('heading', { name: 'Add a key' }).waitFor()
    expect(await page.getByLabel('Provider').inputValue()).toBe('openai')
    const groq = page.getByRole('listitem').filter({ hasText: 'Set by GROQ_API_KEY' })
    await groq.getByText('Environment', { exact: true }).waitFor()
    expect(await groq.getByRole('button', { name: /Remove/ }).count()).toBe(0)

    // The field of the key has the focus: it is pasted at once.
    await page.keyboard.insertText(`${key} `)
    await page.getByRole('button', { name: 'Check key', exact: true }).click()
    await page.getByText('OpenAI rejected the API key (HTTP 401): Incorrect API key provided').waitFor()
    wire?.replies.splice(0, 1, status(200, { data: [] }))
    await page.getByRole('button', { name: 'Check key', exact: true }).click()
    await page.getByText('OpenAI accepts the key').waitFor()
    expect(await violationsIn(page)).toEqual([])
    await page.getByLabel('API key').press('Enter')
    const row = page.getByRole('listitem').filter({ hasText: 'plan********' })
    await row.getByText('Stored', { exact: true }).waitFor()
    expect(await page.locator('body').innerText()).not.toContain(key)
    await row.getByRole('button', { name: 'Check key: OpenAI' }).click()
    await row.getByText('OpenAI accepts the key').waitFor()
    await page.goto('/agents')
    const codex = page.getByRole('listitem').filter({ hasText: 'Codex' })
    await codex.getByText('npm install').waitFor()
    expect(await codex.getByText('model key').count()).toBe(0)

    await page.goto('/settings/models')
    await row.getByRole('button', { name: 'Remove the key of OpenAI' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await row.waitFor({ state: 'detached' })
  })

  it('show the text of a new token once', async () => {
    const { page } = admin
    await page.goto('/settings/tokens')
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByLabel('Name').fill('Build server')
    await page.getByLabel('Expires after').selectOption('A year')
    await page.keyboard.press('Enter')
    await page.getByRole('status').filter({ hasText: TOKEN }).waitFor()
    await page.getByRole('listitem').filter({ hasText: 'Build server' }).waitFor()
    await page.getByRole('link', { name: 'Profile' }).click()
    await page.getByRole('link', { name: 'API tokens' }).click()
    await page.getByRole('listitem').filter({ hasText: 'Build server' }).waitFor()
    expect(await page.locator('body').innerText()).not.toMatch(TOKEN)
    expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toMatch(TOKEN)
    await page.getByRole('button', { name: 'Revoke Build server' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('No tokens yet').waitFor()
  })

  it('write all times and numbers in the language and the time zone of the profile, at once and later', async () => {
    const { page, context } = admin
    const data = { version: '1.0', tasks: finishedTasks(1_200) }
    expect((await context.request.post('/api/tasks/import', { data })).status()).toBe(200)
    await page.goto('/settings')
    await page.getByLabel('Time zone').fill('Asia/Tokyo')
    await page.getByLabel('Language').fill('de-DE')
    await page.getByRole('form', { name: 'Profile' }).getByRole('button', { name: 'Save' }).click()
    await page.getByText('Profile saved').first().waitFor()
    const inTokyo = new Intl.DateTimeFormat('de-DE', {
      dateStyle: 'medium',
      timeStyle: 'medium',
      timeZone: 'Asia/Tokyo',
    })
    for (const isNew of [false, true]) {
      if (isNew) await page.goto('/tasks')
      else await page.getByRole('link', { name: 'Tasks', exact: true }).click()
      await page.getByText('1.200 tasks', { exact: true }).waitFor()
      const time = page.getByRole('table', { name: 'Tasks' }).locator('time').first()
      const at = Date.parse((await time.getAttribute('datetime')) ?? '')
      expect(await time.getAttribute('title')).toBe(inTokyo.format(at))
    }
  })

  it('keep what the environment decides, and say at its field what the service refuses', async () => {
    const { page } = admin
    await page.goto('/settings/installation')
    const fixed = page.locator('[name="queue.concurrency"]')
    await fixed.waitFor()
    expect([await fixed.inputValue(), await fixed.isDisabled()]).toEqual(['7', true])
    await page.getByText('Set by QUEUE_CONCURRENCY in the environment').waitFor()
    await page.getByLabel('Attempts').fill('0')
    await page.getByRole('button', { name: 'Save 1 change' }).click()
    await page.locator('[aria-invalid=true][name="retry.attempts"]').waitFor()
    await page.getByLabel('Attempts').fill('5')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Reset Attempts' }).click()
    await page.getByRole('button', { name: 'Reset Attempts' }).waitFor({ state: 'detached' })
    expect(await page.getByLabel('Attempts').inputValue()).toBe('3')
    const waits = page.locator('[name="webhooks.retryDelaysMs"]')
    expect(await waits.inputValue()).toBe('30s, 5m, 30m, 2h, 12h')
    await waits.fill('1.5s, 5m, 30m, 2h, 1d')
    await page.getByLabel('Backoff type').selectOption('Fixed')
    await page.getByRole('button', { name: 'Save 2 changes' }).click()
    await page.getByRole('button', { name: 'Reset Retry delays' }).waitFor()
    const exact = 'WEBHOOK_RETRY_DELAYS_MS=1500,300000,1800000,7200000,86400000'
    expect(await waits.getAttribute('title')).toBe(exact)
    expect(await waits.inputValue()).toBe('1.5s, 5m, 30m, 2h, 1d')
    await page.getByLabel('Record experiences of finished tasks').waitFor()
    await page.getByLabel('Cancel pending tasks of closed issues').selectOption('No')
    await page.getByRole('button', { name: 'Save 1 change' }).click()
    await page.getByRole('button', { name: 'Reset Cancel pending tasks of closed issues' }).waitFor()
  })

  it('show what was spent of the monthly budget, that it is used up, and to each user their own', async () => {
    const { page } = admin
    const cost = { usd: 3.5, source: 'price' }
    const now = { completedAt: new Date().toISOString(), cost }
    const tasks = finishedTasks(1).map((task) => ({ ...task, ...now, id: 'task_spent0000001' }))
    const data = { version: '1.0', tasks }
    expect((await admin.context.request.post('/api/tasks/import', { data })).status()).toBe(200)
    await page.goto('/settings/installation')
    const budgets = page.getByRole('region', { name: 'Budgets' })
    // In the language of the profile.
    await budgets.getByText(/3.50\D+spent this month, without a budget/).waitFor()
    const save = async (usd: string, name = 'monthlyUsd') => {
      await budgets.locator(`[name="budget.${name}"]`).fill(usd)
      await page.getByRole('button', { name: 'Save 1 change' }).click()
    }
    await save('10.5')
    await budgets.getByText(/3.50\D+of\D+10.50\D+spent this month/).waitFor()
    expect(await budgets.getByRole('meter').getAttribute('aria-valuenow')).toBe('33')
    await save('3')
    await budgets.getByText('The budget is used up').waitFor()
    await save('7', 'userMonthlyUsd')
    await budgets.getByText(/3.50\D+of\D+7.00\D+spent by you this month/).waitFor()
    await expectSound(admin)
    await page.goto('/settings/profile')
    const own = page.getByRole('meter', { name: 'Your monthly budget' })
    await own.waitFor()
    expect(await own.getAttribute('aria-valuenow')).toBe('50')
    await expectSound(admin)
  })

  it('let an admin invite a user, who sees what is for admins only', async () => {
    const { page } = admin
    await page.goto('/settings/invites')
    await page.getByRole('button', { name: 'Create invite' }).click()
    const address = await page.getByRole('status').locator('code').innerText()
    await using guest = await openPage(baseUrl(), address)
    await guest.page.getByLabel('Name').fill('Linus')
    await guest.page.getByLabel('Email').fill('linus@example.com')
    await guest.page.getByLabel('Password').fill('correct horse 2')
    await guest.page.keyboard.press('Enter')
    await guest.page.waitForURL(`${baseUrl()}/`)
    for (const path of ['/settings/users', '/settings/installation', '/settings/audit']) {
      await guest.page.goto(path)
      await guest.page.getByText('for admins').waitFor()
    }
    await page.goto('/settings/users')
    await page.getByLabel('Role of Linus').selectOption('Admin')
    await page.getByText('Linus is now an admin').waitFor()
    await guest.page.reload()
    await guest.page.getByRole('table', { name: 'Audit' }).waitFor()
    expect([...admin.faults, ...guest.faults]).toEqual([])
  })

  it('are a list on the screen of a phone, with a way back from each section, where a table without visible headers has no band for them', async () => {
    const { page } = admin
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto('/settings')
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
    expect(await violationsIn(page)).toEqual([])
    await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'API tokens' }).click()
    await page.getByText('No tokens yet').waitFor()
    // One title: that of the panel is for screen readers alone.
    const second = page.getByRole('heading', { level: 2, name: 'API tokens' })
    expect((await second.boundingBox())?.width).toBe(1)
    await page.getByRole('main').getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('link', { name: 'Audit' }).click()
    await page.getByRole('table', { name: 'Audit' }).waitFor()
    expect((await page.locator('thead').boundingBox())?.height).toBe(1)
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  it('turn on email about the chosen news where a mail server is set, and send a test to the address of the account', async () => {
    await using mail = await startMailServer()
    const PORT = String(await freePort())
    const PUBLIC_URL = `http://127.0.0.1:${PORT}`
    const smtp = { SMTP_URL: mail.url, SMTP_FROM: 'tasks@example.com', PUBLIC_URL, PORT }
    await using own = await openService({ AUTH_MODE: 'cloud', ...smtp })
    await using opened = await openPage(own.baseUrl, '/login')
    await signUp(opened, { email: 'ada@example.com', name: 'Ada' })
    const { page } = opened
    await page.goto('/settings/messages')
    const email = page.getByRole('region', { name: 'Email' })
    await email.getByText('ada@example.com').waitFor()
    await email.getByRole('checkbox', { name: 'Results of my tasks' }).uncheck()
    await email.getByRole('button', { name: 'Turn on' }).click()
    await email.getByText('On', { exact: true }).waitFor()
    await email.getByRole('button', { name: 'Send test' }).click()
    await page.getByText('Check the inbox of ada@example.com.').waitFor()
    expect(mail.mails.map(({ to }) => to)).toEqual([['ada@example.com']])
    await expectSound(opened)
    await page.reload()
    expect(await email.getByRole('checkbox', { name: 'Results of my tasks' }).isChecked()).toBe(false)
    await email.getByRole('button', { name: 'Turn off' }).click()
    await email.getByRole('button', { name: 'Turn on' }).waitFor()
  })

  it.each([
    ['/settings/profile', 'About you'],
    ['/settings/tokens', 'No tokens yet'],
    ['/settings/integrations', 'Web search is disabled'],
    ['/settings/users', 'linus@example.com'],
    ['/settings/invites', 'For anyone with the link'],
    ['/settings/installation', 'Retry delays'],
    ['/settings/access-key', 'This installation has no access key'],
  ])('are sound at %s', async (path, text) => {
    await admin.page.goto(path)
    await admin.page.getByText(text).waitFor()
    await expectSound(admin)
    expect(failed).toEqual([])
  })
})
