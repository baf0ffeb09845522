import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { toolChoice, withChoice } from '../../functions/ui/app/views/security/choices.ts'
import { changeLines } from '../../functions/ui/app/views/security/words.ts'
import { defaultPolicy } from '../../lib/security/schema.ts'
import { apiError, connect } from '../journeys/client.ts'
import { type OpenedService, openService } from '../journeys/opened-service.ts'
import { closeBrowser, hasBrowser, openPage } from './browser.ts'
import { inBrowser } from './in-browser.ts'
import { expectSound } from './sound.ts'

describe('what a change does to the policy', () => {
  const before = { ...defaultPolicy, blockedTools: ['git' as const] }

  it('is a line for each tool and field that is different', () => {
    expect(
      changeLines(before, {
        blockedTools: ['web_fetch'],
        requireApprovalFor: ['git'],
        auditAll: false,
        toolRateLimitPerMinute: 300,
      }),
    ).toEqual(['git: Block → Ask', 'web_fetch: Follow mode → Block', 'Record every call: yes → no'])
  })

  it.each([
    ['follow', [], [], []],
    ['allow', ['git'], [], []],
    ['ask', [], [], ['git']],
    ['block', [], ['git'], []],
  ] as const)('of a tool is that one list names it after %s', (choice, allowed, blocked, asked) => {
    const all = {
      allowedTools: ['git' as const],
      blockedTools: ['git' as const],
      requireApprovalFor: ['git' as const],
    }
    expect(toolChoice(all, 'git')).toBe('block')
    const lists = withChoice(all, 'git', choice)
    expect(lists).toEqual({ allowedTools: allowed, blockedTools: blocked, requireApprovalFor: asked })
    expect(toolChoice(lists, 'git')).toBe(choice)
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
})
afterAll(async () => {
  await closeBrowser()
  await service?.[Symbol.asyncDispose]()
})

inBrowser('the policy', () => {
  it('is changed by an admin field by field, who sees before and after what that changes', async () => {
    const { page } = admin
    const { client } = await sessionClient(admin)
    await page.goto('/settings/security')
    const tool = (name: string) => page.getByRole('combobox', { name, exact: true })
    await tool('git').selectOption('Block')
    await page.getByLabel('Calls per minute and user').fill('0')
    await page.getByRole('list', { name: 'Changes' }).getByText('git: Follow mode → Block').waitFor()
    await page.getByRole('button', { name: 'Save 2 changes' }).click()
    await page.getByText('Too small').or(page.locator('[aria-invalid=true]')).first().waitFor()
    expect((await client.getPolicy()).policy).toEqual(defaultPolicy)
    await page.getByLabel('Calls per minute and user').fill('250')
    // Saving does not undo concurrent changes of others.
    await client.changePolicy({ body: { requireApprovalFor: ['web_fetch'] } })
    await page.keyboard.press('Enter')
    await page.getByText('git: Follow mode → Block · Calls per minute and user: 300 → 250').first().waitFor()
    expect((await client.getPolicy()).policy).toEqual({
      ...defaultPolicy,
      blockedTools: ['git'],
      requireApprovalFor: ['web_fetch'],
      toolRateLimitPerMinute: 250,
    })
    await page.getByRole('button', { name: /^Save/ }).waitFor({ state: 'detached' })
    expect(await tool('web_fetch').inputValue()).toBe('ask')
    const table = page.getByRole('table', { name: 'Modes and kinds of tools' })
    expect(await table.getByRole('row', { name: /^Ask first/ }).innerText()).toMatch(
      /Chat default\s.*\sAllowed\s+Asks\s+Asks\s+Asks$/,
    )
    await expectSound(admin)
    await page.setViewportSize({ width: 1280, height: 800 })
  })

  it('has a default mode for chat and one for tasks, each with what it allows', async () => {
    const { page } = admin
    const { client } = await sessionClient(admin)
    const modes = page.getByRole('region', { name: 'Default modes' })
    const [chat, tasks] = ['Chat', 'Tasks'].map((name) => modes.getByRole('combobox', { name, exact: true }))
    await modes.getByText('Every tool runs without asking.').waitFor()
    await expectSound(admin)
    await page.setViewportSize({ width: 1280, height: 800 })
    await tasks?.selectOption('Read only')
    await modes.getByText('No writes, programs or web requests.').waitFor()
    await chat?.selectOption('No tools')
    await modes.getByText('Answers only.').waitFor()
    expect((await client.getPolicy()).policy.defaultMode).toBe('deny')
    expect((await client.readSettings()).settings.tasks.securityMode).toBe('sandbox')
    await tasks?.selectOption('All tools')
    await chat?.selectOption('All tools')
    await page.getByText('Default mode of chat: All tools').first().waitFor()
  })

  it('is read by a user, who is told who changes it and is refused', async () => {
    const { page } = guest
    await page.goto('/settings/security')
    await page.getByText('Only admins can change the policy').waitFor()
    const git = page.getByRole('combobox', { name: 'git', exact: true })
    expect([await git.isDisabled(), await git.inputValue()]).toEqual([true, 'block'])
    expect(await page.getByRole('region', { name: 'Default modes' }).count()).toBe(0)
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
    await page.goto('/settings/security/audit')
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
    await page.waitForURL(`**/settings/security/audit?taskId=${task.id}`)
    await page.getByText('3 calls').waitFor()
  })

  it('shows a user their own calls, and says when there are none', async () => {
    const { page } = guest
    await page.goto('/settings/security/audit')
    await page.getByText('No tool calls yet').waitFor()
    expect(await page.getByLabel('User').count()).toBe(0)
    await page.goto('/settings/security/audit?decision=maybe')
    await page.getByRole('alert').waitFor()
    await page.goto('/tasks')
    await page
      .getByRole('row', { name: /Write a file/ })
      .getByText('ada')
      .waitFor()
    const [task] = (await (await sessionClient(admin)).client.listTasks()).tasks
    const { client } = await sessionClient(guest)
    const { creators } = await client.taskCreators({ query: { tasks: [task?.id ?? '', 'task_none'] } })
    expect(creators).toEqual([{ id: task?.createdBy, name: 'ada' }])
    await page.goto('/settings/security/audit?entry=tca_none')
    await page.getByRole('dialog').getByRole('alert').waitFor()
    expect([...admin.faults, ...guest.faults]).toEqual([])
  })
})
