import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { changeLines } from '../../functions/ui/app/views/security/words.ts'
import { defaultPolicy } from '../../lib/security/schema.ts'
import { apiError, connect } from '../journeys/client.ts'
import { type OpenedService, openService } from '../journeys/opened-service.ts'
import { closeBrowser, hasBrowser, openPage } from './browser.ts'
import { inBrowser } from './in-browser.ts'
import { expectSound } from './sound.ts'

describe('what a change does to the policy', () => {
  it('is a line for each field that is different, with what comes in and what goes', () => {
    const before = { ...defaultPolicy, blockedTools: ['git' as const] }
    expect(
      changeLines(before, {
        defaultMode: 'full',
        blockedTools: ['web_fetch'],
        requireApprovalFor: [],
        auditAll: false,
        toolRateLimitPerMinute: 300,
      }),
    ).toEqual(['Default mode: ask → full', 'Blocked: +web_fetch −git', 'Record every call: yes → no'])
  })
})

let service: OpenedService
let admin: Awaited<ReturnType<typeof openPage>>
let guest: typeof admin

const signUp = async (path: string, name: string) => {
  const opened = await openPage(service.baseUrl, path)
  const data = { password: 'correct horse 1', email: `${name}@example.com`, name }
  expect((await opened.context.request.post('/api/auth/signup', { data })).status()).toBe(200)
  return opened
}
const sessionClient = async ({ context }: typeof admin) => {
  const cookies = (await context.cookies()).map(({ name, value }) => `${name}=${value}`)
  return connect(service.baseUrl, { cookie: cookies.join('; ') })
}

beforeAll(async () => {
  if (!hasBrowser) return
  const env = { AUTH_MODE: 'cloud', REGISTRATION_MODE: 'open' }
  service = await openService(env)
  admin = await signUp('/login', 'ada')
  guest = await signUp('/login', 'linus')
}, 120_000)
afterAll(async () => {
  await closeBrowser()
  await service?.[Symbol.asyncDispose]()
})

inBrowser('the policy', () => {
  it('is changed by an admin field by field, who sees before and after what that changes', async () => {
    const { page } = admin
    const { client } = await sessionClient(admin)
    await page.goto('/security')
    const box = (name: string) => page.getByRole('checkbox', { name, exact: true })
    await box('Blocked: git').check()
    await page.getByLabel('Calls per minute and user').fill('0')
    await page.getByRole('list', { name: 'Changes' }).getByText('Blocked: +git').waitFor()
    await page.getByRole('button', { name: 'Save 2 changes' }).click()
    await page.getByText('Too small').or(page.locator('[aria-invalid=true]')).first().waitFor()
    expect((await client.getPolicy()).policy).toEqual(defaultPolicy)
    await page.getByLabel('Calls per minute and user').fill('250')
    // Saving does not undo concurrent changes of others.
    await client.changePolicy({ body: { requireApprovalFor: ['web_fetch'] } })
    await page.keyboard.press('Enter')
    await page.getByText('Blocked: +git · Calls per minute and user: 300 → 250').first().waitFor()
    expect((await client.getPolicy()).policy).toEqual({
      ...defaultPolicy,
      blockedTools: ['git'],
      requireApprovalFor: ['web_fetch'],
      toolRateLimitPerMinute: 250,
    })
    await page.getByRole('button', { name: 'Nothing to save' }).waitFor()
    expect(await box('Requires approval: web_fetch').isChecked()).toBe(true)
    const table = page.getByRole('table', { name: 'Modes and kinds of tools' })
    expect(await table.getByRole('row', { name: /^ask/ }).innerText()).toMatch(
      /default\s.*\sAllowed\s+Asks\s+Asks\s+Asks$/,
    )
    await expectSound(admin)
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  it('is read by a user, who is told who changes it and is refused', async () => {
    const { page } = guest
    await page.goto('/security')
    await page.getByText('Only admins can change the policy').waitFor()
    expect(await page.getByRole('checkbox', { name: 'Blocked: git' }).isDisabled()).toBe(true)
    expect(await page.getByRole('checkbox', { name: 'Blocked: git' }).isChecked()).toBe(true)
    expect(await page.getByRole('button', { name: /save/i }).count()).toBe(0)
    const { client } = await sessionClient(guest)
    const refused = client.changePolicy({ body: { blockedTools: [] } })
    expect(await apiError(refused)).toMatchObject({ status: 403 })
    await expectSound(guest)
    await page.setViewportSize({ width: 1280, height: 800 })
  })
})

inBrowser('the record of tool calls', () => {
  it('is narrowed in the address, and leads from an entry to its task and back', async () => {
    const { page } = admin
    const { perform } = await sessionClient(admin)
    const lines = [
      'demo: tool write_file {"path":"a.txt","content":"one"}',
      'demo: tool git {"args":["status"]}',
      'demo: tool read_file {"path":"../outside"}',
      'demo: say Done',
    ]
    const task = await perform({ title: 'Write a file', prompt: lines.join('\n') })
    await perform({ title: 'Another', prompt: lines.join('\n') })
    await page.goto('/security/audit')
    await page.getByText('6 calls').waitFor()
    await page.getByLabel('Decision').selectOption('Denied')
    await page.getByText('2 calls').waitFor()
    expect(new URL(page.url()).search).toBe('?decision=denied')
    await page.getByRole('textbox', { name: 'Task' }).fill(task.id)
    await page.keyboard.press('Enter')
    await page.getByText('1 call', { exact: true }).waitFor()
    await expectSound(admin)
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByLabel('Decision').selectOption('All decisions')
    await page.getByRole('button', { name: 'write_file' }).click()
    const dialog = page.getByRole('dialog', { name: 'write_file' })
    await dialog.getByText('Allowed by mode and policy').waitFor()
    expect((await dialog.innerText()).replaceAll(/\s+/g, ' ')).toMatch(
      /path a\.txt content one Result .*a\.txt/,
    )
    expect(page.url()).toMatch(/entry=tca_/)
    await expectSound(admin)
    await page.setViewportSize({ width: 1280, height: 800 })
    await dialog.getByRole('link', { name: 'Write a file' }).click()
    await page.waitForURL(`**/tasks/${task.id}`)
    await page.getByRole('navigation', { name: 'Task' }).getByRole('link', { name: 'Input' }).click()
    await page.getByRole('link', { name: 'Tool calls' }).click()
    await page.waitForURL(`**/security/audit?taskId=${task.id}`)
    await page.getByText('3 calls').waitFor()
  })

  it('shows a user their own calls, and says when there are none', async () => {
    const { page } = guest
    await page.goto('/security/audit')
    await page.getByText('No tool calls yet').waitFor()
    expect(await page.getByLabel('User').count()).toBe(0)
    await page.goto('/security/audit?decision=maybe')
    await page.getByRole('alert').waitFor()
    await page.goto('/security/audit?entry=tca_none')
    await page.getByRole('dialog').getByRole('alert').waitFor()
    expect([...admin.faults, ...guest.faults]).toEqual([])
  })
})
