import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
import { decided, followed } from '../../functions/ui/app/approvals/calls.ts'
import { visibleText } from '../../functions/ui/app/components/visible-text.ts'
import type { Approval } from '../../functions/ui/app/data/approvals.ts'
import { startPushService } from '../alerts/push-receiver.ts'
import { finishedTasks } from '../fixtures/finished-tasks.ts'
import { until } from '../journeys/api.ts'
import { connect } from '../journeys/client.ts'
import { type OpenedService, openService } from '../journeys/opened-service.ts'
import { closeBrowser, hasBrowser, openPage } from './browser.ts'
import { inBrowser } from './in-browser.ts'
import { expectSound } from './sound.ts'

const waiting = (id: string, more: Partial<Approval> = {}): Approval => ({
  id,
  userId: 'user_ann',
  toolName: 'write_file',
  title: id,
  params: {},
  securityLevel: 'write',
  requestedAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-01T00:10:00.000Z',
  status: 'pending',
  ...more,
})
const outcomes = (calls: ReturnType<typeof followed>) =>
  calls.map(({ approval: { id }, outcome = 'open' }) => `${id} ${outcome}`)
const EXPIRES = Date.parse('2026-01-01T00:10:00Z')

describe('the calls of the view', () => {
  const first = followed(
    [],
    ['a', 'b'].map((id) => waiting(id)),
    0,
  )

  it('stay in their place when they do not wait any more, and say why', () => {
    const later = followed(first, [waiting('b'), waiting('c')], EXPIRES - 1)
    expect(outcomes(later)).toEqual(['a elsewhere', 'b open', 'c open'])
    expect(outcomes(followed(later, [], EXPIRES))).toEqual(['a elsewhere', 'b expired', 'c expired'])
    expect(outcomes(followed(decided(first, 'a', 'deny'), [], EXPIRES))).toEqual(['a deny', 'b expired'])
  })

  it('are in the order of their expiry, those without one last', () => {
    const at = (id: string, time: string) => waiting(id, { expiresAt: `2026-01-01T00:${time}:00.000Z` })
    const { expiresAt: _, ...endless } = waiting('endless')
    const calls = followed([], [endless, at('late', '20'), at('soon', '10')], 0)
    expect(outcomes(calls)).toEqual(['soon open', 'late open', 'endless open'])
    const more = followed(calls, [endless, at('soon', '10'), at('next', '15')], 0)
    expect(outcomes(more)).toEqual(['soon open', 'next open', 'late elsewhere', 'endless open'])
  })

  it('of a tool that is always allowed in a session are allowed there, and nowhere else', () => {
    const ofTask = (id: string, more: Partial<Approval> = {}) => waiting(id, { taskId: 't-1', ...more })
    const calls = followed(
      [],
      [
        ...[ofTask('a'), ofTask('b'), ofTask('c', { toolName: 'git' })],
        ...[ofTask('d', { taskId: 't-2' }), waiting('e', { conversationId: 't-1' })],
        ofTask('f', { userId: 'user_bob' }),
      ],
      0,
    )
    expect(outcomes(decided(calls, 'a', 'allow-always'))).toEqual([
      ...['a allow-always', 'b allow-once', 'c open', 'd open', 'e open', 'f open'],
    ])
    expect(outcomes(decided(calls, 'a', 'allow-once')).slice(0, 2)).toEqual(['a allow-once', 'b open'])
  })
})

describe('the text of an argument', () => {
  it.each([
    ['two\nlines\tand a tab\r\n', 'two\nlines\tand a tab\r\n'],
    ['a\u202eb', 'a\\u{202e}b'],
    ['rm\u200b -rf\u0000', 'rm\\u{200b} -rf\\u{0000}'],
    ['safe\rhidden', 'safe\\u{000d}hidden'],
    ['\u{e0041}', '\\u{e0041}'],
  ])('%j reads as %j', (text, visible) => {
    expect(visibleText(text)).toBe(visible)
  })
})

let service: OpenedService
let api: ReturnType<typeof connect>

beforeAll(async () => {
  if (!hasBrowser) return
  // The push service of these tests is on loopback.
  service = await openService({ OUTBOUND_ALLOW_HOSTS: '127.0.0.1' })
  api = connect(service.baseUrl)
})
afterAll(async () => {
  await closeBrowser()
  await service?.[Symbol.asyncDispose]()
})

/** Items of one test must not appear in the next. */
afterEach(async () => {
  if (!hasBrowser) return
  for (const { id } of (await api.client.listApprovals()).approvals) await deny(id)
  for (const { id } of (await api.client.listDlq({ query: {} })).items)
    await api.client.discardDlqItem({ params: { id } })
  await until(async () => {
    const { items } = await api.client.listInbox({ query: {} })
    const others = items.filter(({ kind }) => kind !== 'approval')
    if (others.length > 0)
      await api.client.completeInboxItems({
        body: { items: others.map(({ key, version }) => ({ key, version })) },
      })
    const { total } = await api.client.listTasks({ query: { status: 'in_progress' } })
    return others.length + total === 0 ? true : undefined
  })
})
const deny = (id = '') => api.client.decideApproval({ params: { id }, body: { decision: 'deny' } })

const write = (path: string) => `demo: tool write_file ${JSON.stringify({ path, content: 'one\ntwo' })}`
const RUN = 'demo: tool run_command {"command":"npm","args":["test","two words"]}'

const say = (id: string, ...lines: string[]) =>
  api.client.sendMessageWithTools({
    params: { id },
    body: { content: [...lines, 'demo: say Done'].join('\n'), securityMode: 'ask' },
  })
const converse = async (title: string, ...lines: string[]) => {
  const { id } = (await api.client.createConversation({ body: { title } })).conversation
  await say(id, ...lines)
  return id
}
const task = async (title: string, ...lines: string[]) => {
  const prompt = [...lines, 'demo: say Done'].join('\n')
  const { id } = await api.create({ title, prompt, metadata: { securityMode: 'ask' } })
  await until(async () => ((await api.task(id)).waitingFor === 'approval' ? true : undefined))
  return id
}
const QUESTION = { question: 'Which database\nshould it be?', options: ['PostgreSQL', 'SQLite'] }
const asks = async (title: string) => {
  const { id } = await api.create({ title, prompt: `demo: tool ask_user ${JSON.stringify(QUESTION)}` })
  await until(async () => ((await api.task(id)).question ? true : undefined))
  return id
}
/** The prompt of the turn that answers a task. */
const answerTo = async (id: string) => {
  const { thread } = await api.client.getThread({ params: { id } })
  const turn = thread.tasks[1]
  return turn && (await api.task(turn.id)).prompt
}
const open = (at = '/inbox') => openPage(service.baseUrl, at)
const card = (page: Page, text: string) => page.locator('[data-item]').filter({ hasText: text })
/** Only one card is open. */
const openCard = (page: Page, title: string) => card(page, title).locator('[data-row-link]').click()
const isAllowed = (page: Page, text: string) =>
  card(page, text).getByText('Allowed', { exact: true }).waitFor()
const badge = (page: Page, text: string) =>
  page
    .getByRole('link', { name: `Inbox ${text}`.trim(), exact: true })
    .first()
    .waitFor()

inBrowser('approvals in the inbox', () => {
  it('says when nothing waits, and what became of a call that an address names', async () => {
    await using opened = await open('/inbox?item=approval:apv_gone')
    await opened.page.getByText('Nothing needs you').waitFor()
    await opened.page.getByText('This item is closed').waitFor()
    await badge(opened.page, '')
    await expectSound(opened)
  })

  it('is where a badge leads that counts what waits; what is allowed there goes on', async () => {
    await using opened = await open('/tasks/overview')
    const { page } = opened
    const conversation = await converse('Release notes', write('notes.md'))
    await badge(page, '1 open, 1 waiting for approval')
    await page.getByRole('link', { name: 'Inbox 1 open, 1 waiting for approval' }).first().click()
    const one = card(page, 'write_file notes.md')
    await one.getByRole('link', { name: 'Release notes' }).waitFor()
    expect((await one.innerText()).replaceAll(/\s+/g, ' ')).toMatch(
      /Writes .*\d:\d\d left .*path notes\.md content one two/,
    )
    await expectSound(opened)
    await page.setViewportSize({ width: 1280, height: 800 })
    await one.getByRole('button', { name: 'Allow once' }).click()
    await isAllowed(page, 'notes.md')
    await badge(page, '')
    const calls = await until(async () => {
      const { messages } = await api.client.getConversation({ params: { id: conversation } })
      const made = messages.at(-1)?.toolCalls
      return made?.some(({ status }) => status === 'success') ? made : undefined
    })
    expect(calls).toMatchObject([{ name: 'write_file', status: 'success' }])
    await page.getByRole('button', { name: 'Clear 1 decided' }).click()
    await page.getByText('Nothing needs you').waitFor()
    await expectSound(opened)
  })

  it('allows several at once but those that run a program, after they were listed, and denies them all', async () => {
    const ids = [await task('First', write('a.txt')), await task('Second', write('b.txt'))]
    const runs = await task('Third', RUN)
    await using opened = await open()
    const { page } = opened
    await openCard(page, 'run_command')
    await card(page, 'args').getByText('test "two words"', { exact: true }).waitFor()
    for (const key of ['j', 'x']) await page.keyboard.press(key)
    await page.getByText('1 selected').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('1 selected').waitFor({ state: 'detached' })
    await page.getByRole('checkbox', { name: 'Select all' }).check()
    await page.getByText('1 call runs a program').waitFor()
    await page.getByRole('button', { name: 'Allow 2 once' }).click()
    const asked = page.getByRole('dialog').getByRole('list', { name: 'Calls to allow' })
    // The order in which the tasks reach their calls is not fixed.
    const texts = await asked.getByRole('listitem').allInnerTexts()
    expect(texts).toHaveLength(2)
    for (const file of ['a.txt', 'b.txt']) expect(texts.filter((text) => text.includes(file))).toHaveLength(1)
    await expectSound(opened)
    await page.getByRole('dialog').getByRole('button', { name: 'Allow 2 once' }).click()
    await page.getByText('2 of 2 allowed').waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    for (const id of ids) expect(await api.untilTask(id, 'completed')).toMatchObject({ attempts: 1 })
    await page.getByRole('checkbox', { name: 'Select run_command' }).check()
    await page.getByRole('button', { name: 'Deny 1' }).click()
    await page.getByText('1 of 1 denied').waitFor()
    await api.untilTask(runs, 'completed')
    const { entries } = await api.client.listToolCalls({ query: { taskId: runs, decision: 'denied' } })
    expect(entries.map(({ tool }) => tool)).toEqual(['run_command'])
  })

  it('asks before it always allows a tool in a session, where the next call is made then, until that is taken back', async () => {
    const conversation = await converse('Always', write('c.txt'))
    await using opened = await open()
    const { page } = opened
    const decisions = card(page, 'c.txt').getByRole('button')
    await decisions.first().waitFor()
    expect(await decisions.allInnerTexts()).toEqual(['Deny', 'Allow once', 'Always allow…'])
    await decisions.last().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('For 90 days').waitFor()
    expect((await api.client.listApprovals()).approvals).toHaveLength(1)
    await dialog.getByRole('button', { name: 'Always allow' }).click()
    await card(page, 'c.txt').getByText('Always allowed').waitFor()
    await until(async () => {
      const { messages } = await api.client.getConversation({ params: { id: conversation } })
      return messages.at(-1)?.content.includes('Done') ? true : undefined
    })
    expect(await say(conversation, write('d.txt'))).not.toHaveProperty('pendingApprovals')
    const allowed = page.getByRole('list', { name: 'Tools that are always allowed' })
    await allowed.getByRole('link', { name: 'Always' }).waitFor()
    await expectSound(opened)
    await allowed.getByRole('button', { name: 'Revoke the permission for write_file' }).click()
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    // Behind the dialog nothing has a role.
    await dialog.waitFor({ state: 'detached' })
    await allowed.waitFor({ state: 'detached' })
    expect(await say(conversation, write('e.txt'))).toHaveProperty('pendingApprovals')
  })

  it('are decided from the palette on the page of their task, and allowed there if the row shows all of the call', async () => {
    const id = await task('Palette', 'demo: tool write_file {"path": "s.txt", "content": "hi"}')
    const long = await task('Palette', write('p.txt'))
    await using opened = await open(`/tasks/${id}`)
    const { page } = opened
    const words = page.getByRole('dialog', { name: 'Search' }).getByRole('combobox')
    const optionsOf = async (path: string) => {
      await page.getByRole('list', { name: 'Waiting for your approval' }).waitFor()
      await page.keyboard.press('Control+k')
      const found = page.getByRole('option').filter({ hasText: path })
      await found.nth(1).waitFor()
      return found.allInnerTexts()
    }
    expect(await optionsOf('s.txt')).toEqual([
      ...['Review call: write_file s.txt', 'Deny: write_file s.txt'],
      'Allow once: write_file\npath: s.txt\ncontent: hi',
    ])
    // Enter alone decides nothing.
    await words.fill('approve')
    await page.getByRole('option', { name: 'Review call: write_file s.txt', selected: true }).waitFor()
    await words.fill('allow once')
    await page.getByRole('option', { name: /^Allow once: write_file/, selected: true }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('Completed', { exact: true }).first().waitFor()
    await page.goto(`${service.baseUrl}/tasks/${long}`)
    expect(await optionsOf('p.txt')).toEqual(['Review call: write_file p.txt', 'Deny: write_file p.txt'])
    await page.keyboard.press('Enter')
    await card(page, 'p.txt').getByRole('button', { name: 'Deny' }).click()
    await card(page, 'p.txt').getByText('Denied').waitFor()
  })

  it('leaves a call where it is that another tab decides, and says so; the same when it is decided too late', async () => {
    for (const path of ['e.txt', 'f.txt', 'g.txt']) await converse(path, write(path))
    const [e, f] = (await api.client.listApprovals()).approvals
    await using opened = await open()
    const { page } = opened
    const last = card(page, 'write_file g.txt')
    await last.waitFor()
    const before = await last.boundingBox()
    await deny(e?.id)
    await card(page, 'e.txt').getByText('Decided in another tab').waitFor()
    expect(await last.boundingBox()).toEqual(before)
    // The page does not see the other tab's decision before this click.
    const known = await api.client.listInbox({ query: {} })
    await page.route('**/api/inbox?*', (route) => route.fulfill({ json: known }))
    await deny(f?.id)
    await openCard(page, 'write_file f.txt')
    await card(page, 'f.txt').getByRole('button', { name: 'Allow once' }).click()
    await card(page, 'f.txt').getByText('Decided elsewhere').waitFor()
    expect(await page.getByText('Not decided', { exact: true }).count()).toBe(0)
  })

  it('says of a call whose task was cancelled that it waits no more', async () => {
    const id = await task('Given up', write('h.txt'))
    await using opened = await open()
    const { page } = opened
    await card(page, 'h.txt').getByRole('button', { name: 'Allow once' }).waitFor()
    await api.client.cancelTask({ params: { id } })
    await card(page, 'h.txt').getByText('Decided elsewhere').waitFor()
    expect(await card(page, 'h.txt').getByRole('button').count()).toBe(0)
    expect(opened.faults).toEqual([])
  })

  it('counts down to the moment a call is denied by itself, and says that it was', async () => {
    await converse('Late', write('g.txt'))
    await using opened = await open('/settings/health')
    const { page } = opened
    const known = await api.client.listInbox({ query: {} })
    const [one] = (await api.client.listApprovals()).approvals
    const soon = new Date(Date.now() + 20_000).toISOString()
    await page.route('**/api/inbox?*', async (route) => {
      const left = known.items.map((item) => ({ ...item, approval: { ...one, expiresAt: soon } }))
      await route.fulfill({ json: { ...known, items: left } })
    })
    await page.clock.install()
    // The mocked list is not announced by the event stream.
    await page.route('**/api/events/stream*', (route) => route.fulfill({ status: 503, body: '{}' }))
    await page.reload()
    await page
      .getByRole('link', { name: /^Inbox/ })
      .first()
      .click()
    await card(page, 'g.txt')
      .getByText(/^0:\d\d left$/)
      .waitFor()
    await page.clock.fastForward(20_000)
    await card(page, 'g.txt').getByText('Expired').waitFor()
    await card(page, 'g.txt').getByText('Not decided in time').waitFor()
    expect(await card(page, 'g.txt').getByRole('button', { name: 'Allow once' }).count()).toBe(0)
  })

  it('that expired are called so in the run of their task and in the audit, not denied', async () => {
    const metadata = { securityMode: 'ask', approvalTtlMs: 1_000 }
    const { id } = await api.create({ title: 'Slept', prompt: write('late.txt'), metadata })
    await api.untilTask(id, 'failed')
    await using opened = await open(`/tasks/${id}`)
    const { page } = opened
    const run = page.getByRole('region', { name: 'Run', exact: true })
    await run.getByText('write_file: expired, not run').waitFor()
    expect(await run.getByText('denied').count()).toBe(0)
    await expectSound(opened)
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(`/settings/security/audit?taskId=${id}`)
    await page
      .getByRole('row', { name: /write_file/ })
      .getByText('Expired', { exact: true })
      .waitFor()
    await page.getByRole('button', { name: 'write_file' }).click()
    await page.getByRole('dialog').getByText('Not decided in time, so it did not run').waitFor()
    await expectSound(opened)
  })

  it('says that nothing can be decided while the service is away, and goes on when it is back', async () => {
    await converse('Away', write('g.txt'))
    await using opened = await open()
    const { page } = opened
    const allow = card(page, 'g.txt').getByRole('button', { name: 'Allow once' })
    await allow.waitFor()
    await page.route('**/api/**', (route) => route.abort())
    await page.getByText('You can decide again when the service responds').waitFor()
    expect(await allow.isDisabled()).toBe(true)
    await page.unroute('**/api/**')
    await page.getByText('You can decide again').waitFor({ state: 'detached' })
    await allow.click()
    await isAllowed(page, 'g.txt')
  })
})

inBrowser('the inbox', () => {
  const row = card
  const finish = async (title: string) => {
    const { id } = await api.create({ title, prompt: 'demo: say Done' })
    await api.untilTask(id, 'completed')
    return id
  }

  it('leads on from the addresses of its earlier views', async () => {
    await using opened = await open('/approvals?item=apv_1')
    const { page } = opened
    await page.waitForURL(
      (url) => url.pathname === '/inbox' && url.searchParams.get('item') === 'approval:apv_1',
    )
    await page.goto(`${service.baseUrl}/notifications`)
    await page.waitForURL('**/inbox')
    expect(opened.faults).toEqual([])
  })

  it('marks results as done and snoozes them by keys, and opens a snoozed one again', async () => {
    await finish('Older')
    await finish('Newer')
    await using opened = await open()
    const { page } = opened
    await row(page, 'Older').waitFor()
    await expectSound(opened)
    await page.keyboard.press('j')
    // The verbs of the row that has focus are in words.
    await row(page, 'Newer').getByText(/^Done/).waitFor()
    expect(await row(page, 'Older').getByText(/^Done/).count()).toBe(0)
    await page.keyboard.press('e')
    await row(page, 'Newer').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await page.keyboard.press('z')
    await row(page, 'Newer').waitFor()
    await row(page, 'Newer').getByRole('button', { name: 'Done' }).click()
    await row(page, 'Newer').waitFor({ state: 'detached' })
    await page.keyboard.press('j')
    await page.keyboard.press('s')
    const dialog = page.getByRole('dialog', { name: 'Snooze until' })
    await dialog.getByRole('button', { name: /^Next week/ }).waitFor()
    await dialog.getByRole('button', { name: /^1 hour/ }).click()
    await page.getByText('Nothing needs you').waitFor()
    await page.getByRole('link', { name: 'Snoozed 1' }).click()
    await row(page, 'snoozed until').waitFor()
    await row(page, 'Older').getByRole('button', { name: 'Reopen' }).click()
    await page.getByRole('link', { name: 'Open', exact: true }).click()
    await row(page, 'Older').getByRole('link', { name: 'Older' }).click()
    await page.waitForURL('**/tasks/task_*')
    expect(opened.faults).toEqual([])
  })

  it('has results that can be judged from their row', async () => {
    const published = {
      branch: 'b',
      pullRequest: { number: 412, url: 'https://github.com/acme/web/pull/412' },
    }
    const { id } = await api.create({
      title: 'Guarded',
      assignedAgent: 'moody',
      metadata: { published, diff: 'diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1,2 @@\n-1\n+2\n+3\n' },
    })
    await api.untilTask(id, 'completed')
    await using opened = await open()
    const { page } = opened
    const texts = async () => (await row(page, 'Guarded').innerText()).replaceAll(/\s+/g, ' ')
    await row(page, 'Guarded').waitFor()
    expect(await texts()).toMatch(/^Guarded done by attempt 1 \+2 −1 #412 moody ·? ?\d+ms/i)
    const link = row(page, 'Guarded').getByRole('link', { name: 'Pull request #412' })
    expect(await link.getAttribute('href')).toBe(published.pullRequest.url)
    await expectSound(opened)
    await page.setViewportSize({ width: 390, height: 760 })
    expect(await texts()).toMatch(
      /^Guarded done by attempt 1 \+2 −1 #412 Done$|^Guarded done by attempt 1 \+2 −1 #412 ?$/,
    )
    await row(page, 'Guarded').getByText('Guarded').click()
    await page.waitForURL(`**/tasks/${id}`)
  })

  it('offers to undo each of two items that are done before the first is answered', async () => {
    await finish('One')
    await finish('Two')
    await using opened = await open()
    const { page } = opened
    await row(page, 'One').waitFor()
    const second = Promise.withResolvers<void>()
    let asked = 0
    await page.route('**/api/inbox/done', async (route) => {
      asked += 1
      if (asked === 1) await second.promise
      else second.resolve()
      await route.continue()
    })
    for (const key of ['j', 'e', 'j', 'e']) await page.keyboard.press(key)
    for (const title of ['One', 'Two']) await row(page, title).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).nth(1).waitFor()
    for (let times = 0; times < 2; times += 1) await page.keyboard.press('z')
    for (const title of ['One', 'Two']) await row(page, title).waitFor()
    expect(opened.faults).toEqual([])
  })

  it('marks more items as done than one request takes, and has them selected still where that failed', async () => {
    const at = new Date().toISOString()
    const times = { createdAt: at, updatedAt: at, queuedAt: at, startedAt: at, completedAt: at }
    const tasks = finishedTasks(100).map((task) => ({ ...task, ...times, status: 'completed' }))
    await api.client.importTasks({ body: { version: '1.0', tasks } })
    const broken = { title: 'Broken', agent: 'coding-agent', prompt: 'demo: fail Out of paper' }
    await api.untilTask((await api.create(broken as never)).id, 'failed')
    const { items } = await api.client.listInbox({ query: {} })
    expect(items.length).toBeGreaterThan(100)
    await using opened = await open()
    const { page } = opened
    const done = page.getByRole('button', { name: `Mark ${items.length} done` })
    await page.getByRole('checkbox', { name: 'Select all' }).check()
    await page.route('**/api/inbox/done', (route) => route.fulfill({ status: 409, json: {} }), { times: 1 })
    await done.click()
    await page.getByText('Not marked as done').first().waitFor()
    await done.click()
    await page.getByText('Nothing needs you').waitFor()
    expect((await api.client.listInbox({ query: {} })).items).toEqual([])
  })

  it('has one call open at a time, under headings that count', async () => {
    for (const path of ['a.txt', 'b.txt']) await converse(path, write(path))
    await finish('A result')
    await using opened = await open()
    const { page } = opened
    const headings = page.locator('main h2')
    await headings.nth(1).waitFor()
    const words = (await headings.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))
    expect(words).toEqual(['Needs approval 2', 'Results to review 1'])
    const shown = (path: string) => page.getByLabel(`Arguments of write_file ${path}`).waitFor()
    await shown('a.txt')
    for (const key of ['j', 'j']) await page.keyboard.press(key)
    await shown('b.txt')
    expect(await page.getByRole('button', { name: /^Allow once/ }).count()).toBe(1)
    await openCard(page, 'a.txt')
    await shown('a.txt')
    await expectSound(opened)
    // The bar of a phone decides about the open call.
    const bar = page.getByRole('region', { name: 'Decision' })
    await bar.getByText('write_file a.txt').waitFor()
    await openCard(page, 'b.txt')
    await bar.getByText('write_file b.txt').waitFor()
    await shown('b.txt')
  })

  it('joins the same call of several conversations behind the first, and each keeps its own decision', async () => {
    for (const title of ['First', 'Second', 'Third']) await converse(title, write('notes.md'))
    await converse('Other', write('other.md'))
    await using opened = await open()
    const { page } = opened
    const alike = page.getByRole('button', { name: '3 conversations want this' })
    await alike.waitFor()
    expect(await card(page, 'write_file').count()).toBe(2)
    await page.getByRole('heading', { name: 'Needs approval 4' }).waitFor()
    await expectSound(opened)
    await page.setViewportSize({ width: 1280, height: 800 })
    await card(page, 'notes.md').getByRole('button', { name: 'Deny' }).click()
    const two = page.getByRole('button', { name: '2 conversations want this' })
    await two.click()
    expect(await two.getAttribute('aria-expanded')).toBe('true')
    await card(page, 'notes.md').nth(2).waitFor()
    for (const title of ['First', 'Second', 'Third']) await card(page, title).waitFor()
    await two.click()
    await card(page, 'notes.md').nth(2).waitFor({ state: 'detached' })
    // A link to one that is behind another opens that one.
    const third = (await api.client.listApprovals()).approvals.filter(({ title }) => title.includes('notes'))
    for (const { id } of third) {
      await page.goto(`/inbox?item=approval:${id}`)
      await page.getByRole('button', { name: /^Allow once/ }).waitFor()
      await page.locator(`[data-item="approval:${id}"]`).getByLabel('Arguments of write_file').waitFor()
    }
    expect(await page.getByText('This item is closed').count()).toBe(0)
  })

  it('shows a failure with its retry, also on a phone, and closes it without a touch when its letter is gone', async () => {
    const { id } = await api.create({
      title: 'Broken',
      agent: 'coding-agent',
      prompt: 'demo: fail It broke',
    } as never)
    await api.untilTask(id, 'failed')
    await using opened = await open()
    const { page } = opened
    await row(page, 'not retried').waitFor()
    await expectSound(opened)
    await page.keyboard.press('j')
    await page.keyboard.press('r')
    const asked = page.getByRole('dialog', { name: 'Retry 1 dead letter?' })
    await asked.getByText('Broken').waitFor()
    await page.keyboard.press('Escape')
    await asked.waitFor({ state: 'detached' })
    await page.setViewportSize({ width: 390, height: 760 })
    await page.getByRole('button', { name: 'Retry', exact: true }).click()
    await asked.getByRole('button', { name: 'Retry 1' }).click()
    const isRetried = async () => (await api.events(id)).some(({ type }) => type === 'retried')
    await until(async () => (await isRetried()) || undefined)
    await page.keyboard.press('Escape')
    await api.untilTask(id, 'failed')
    const letter = (await api.client.listDlq({ query: {} })).items.find(({ taskId }) => taskId === id)
    await api.client.discardDlqItem({ params: { id: letter?.id ?? '' } })
    await page.getByText('Nothing needs you').waitFor()
  })

  it('has with what waits the verb that ends the wait', async () => {
    const known = await api.client.listInbox({ query: {} })
    const item = { version: '1', mine: true, at: new Date().toISOString(), waiting: 1 }
    const items = [
      { ...item, kind: 'budget', key: 'budget' },
      { ...item, kind: 'runner', key: 'runner:1', reason: 'no runner has gpu', taskIds: [] },
    ]
    await using opened = await open('/theme.js')
    const { page } = opened
    await page.route('**/api/inbox?*', (route) => route.fulfill({ json: { ...known, items } }))
    await page.goto('/inbox')
    const runners = row(page, 'waits for a runner: no runner has gpu').getByRole('link', {
      name: 'Open runners',
    })
    await runners.waitFor()
    await expectSound(opened)
    await page.setViewportSize({ width: 1280, height: 800 })
    await runners.click()
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor()
    await page.goBack()
    await row(page, 'waits for the monthly budget').getByRole('link', { name: 'Raise the budget' }).click()
    await page.getByRole('region', { name: 'Budgets' }).waitFor()
  })

  it('has the decision in a bar at the foot on a phone: one tap from the link of a message', async () => {
    const first = await task('First', write('a.txt'))
    const second = await task('Second', write('b.txt'))
    const approval = (await api.client.listApprovals()).approvals.find(({ taskId }) => taskId === second)
    await using opened = await openPage(service.baseUrl, `/inbox?item=approval:${approval?.id}`, {
      viewport: { width: 390, height: 760 },
    })
    const { page } = opened
    const bar = page.getByRole('region', { name: 'Decision' })
    await bar.getByText('write_file b.txt').waitFor()
    expect(await card(page, 'write_file').getByRole('button').count()).toBe(0)
    await expectSound(opened)
    await bar.getByRole('button', { name: 'Allow once' }).click()
    await api.untilTask(second, 'completed')
    // A second tap at the same place decides nothing.
    await bar.getByText('Allowed').waitFor()
    expect(await bar.getByRole('button', { name: 'Allow once' }).count()).toBe(0)
    await bar.getByRole('button', { name: 'Next call, 1 waiting' }).click()
    await bar.getByText('write_file a.txt').waitFor()
    await bar.getByRole('button', { name: 'Deny' }).click()
    await api.untilTask(first, 'completed')
  })

  it('has that bar on the page of a task and of a conversation, in place of the composer', async () => {
    const id = await task('On the way', write('a.txt'))
    const conversation = await converse('Also', write('b.txt'))
    await using opened = await openPage(service.baseUrl, `/tasks/${id}`, {
      viewport: { width: 390, height: 760 },
    })
    const { page } = opened
    const bar = page.getByRole('region', { name: 'Decision' })
    const reply = page.getByRole('textbox', { name: 'Reply' })
    await bar.getByText('write_file a.txt').waitFor()
    expect(await reply.count()).toBe(0)
    expect(await page.getByRole('button', { name: /^Allow once/ }).count()).toBe(1)
    expect(await page.getByText('A tool call needs a decision').count()).toBe(0)
    await page.getByRole('link', { name: 'Log', exact: true }).click()
    await bar.getByRole('link', { name: 'Show the call' }).click()
    await page.getByLabel('Arguments of write_file').first().waitFor()
    await expectSound(opened)
    await bar.getByRole('button', { name: 'Reply instead' }).click()
    await reply.waitFor()
    // The decision is with the call then, and a notice leads there from where the call is out of view.
    await page.getByRole('link', { name: 'Log', exact: true }).click()
    await page.getByText('A tool call needs a decision').getByRole('link', { name: 'Decide' }).click()
    await page.getByRole('button', { name: 'Allow once: write_file' }).click()
    await api.untilTask(id, 'completed')

    await page.goto(`/chat/${conversation}`)
    await bar.getByText('write_file b.txt').waitFor()
    expect(await page.getByRole('textbox', { name: 'Message' }).count()).toBe(0)
    await bar.getByRole('button', { name: 'Stop' }).waitFor()
    await expectSound(opened)
    await bar.getByRole('button', { name: 'Allow once' }).click()
    await page.getByRole('textbox', { name: 'Message' }).waitFor()
    await bar.waitFor({ state: 'detached' })
  })
})

/** A browser whose push service is that of the test: a browser of a test reaches no other. */
const SUBSCRIBES = (subscription: object) => {
  Object.assign(PushManager.prototype, { subscribe: async () => ({ toJSON: () => subscription }) })
}

inBrowser('messages of the inbox', () => {
  it('are turned on in the settings, and allow a short call with the session of the browser', async () => {
    await using push = await startPushService()
    await using opened = await openPage(service.baseUrl, '/theme.js')
    const { page, context } = opened
    await context.grantPermissions(['notifications'], { origin: service.baseUrl })
    await page.addInitScript(SUBSCRIBES, push.subscription())
    await page.goto('/settings/messages')
    await page.getByRole('checkbox', { name: 'Results of my tasks' }).uncheck()
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.getByText('This browser', { exact: true }).waitFor()
    await expectSound(opened)
    await page.getByRole('button', { name: 'Send test' }).click()
    await page.getByText('Test notification sent').waitFor()
    const id = await task('Asked', write('m.txt').replace('one\\ntwo', 'x'))
    const message = await until(() => push.messages.find(({ approvalId }) => approvalId !== undefined))
    expect(message).toMatchObject({ decides: 'allow or deny' })
    const [worker = await context.waitForEvent('serviceworker')] = context.serviceWorkers()
    // A page cannot make events that the browser trusts, and this browser shows no messages: these have the members that
    // the worker reads.
    const shown = await worker.evaluate(async (data) => {
      type Shown = { title: string; actions: { action: string }[]; data: unknown }
      const { registration } = globalThis as unknown as { registration: object }
      const messages: Shown[] = []
      const showNotification = async (title: string, options: Omit<Shown, 'title'>) => {
        messages.push({ title, ...options })
      }
      Object.assign(registration, { showNotification })
      const told: Promise<unknown>[] = []
      const waitUntil = (work: Promise<unknown>) => void told.push(work)
      dispatchEvent(Object.assign(new Event('push'), { data: { json: () => data }, waitUntil }))
      await Promise.all(told)
      const [message] = messages
      const notification = { ...message, close: () => undefined }
      const clicked = { notification, action: 'allow-once', waitUntil }
      dispatchEvent(Object.assign(new Event('notificationclick'), clicked))
      return [message?.title, message?.actions.map(({ action }) => action)]
    }, message)
    expect(shown).toEqual(['Approval needed', ['deny', 'allow-once']])
    await api.untilTask(id, 'completed')
    // A click opens what it is about in the open tab, without loading the page anew. No click of a test gives the focus.
    await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }))
    await worker.evaluate(() => {
      Object.assign(Reflect.get(globalThis, 'WindowClient').prototype, { focus: async () => undefined })
      const notification = { data: { url: '/tasks?q=told' }, close: () => undefined }
      const clicked = { notification, action: '', waitUntil: () => undefined }
      dispatchEvent(Object.assign(new Event('notificationclick'), clicked))
    })
    await page.waitForURL('**/tasks?q=told')
    expect(await page.evaluate(() => 'isSamePage' in globalThis)).toBe(true)
    await page.goBack()
    await page.getByRole('button', { name: /^Remove/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Browsers with notifications').waitFor({ state: 'detached' })
    expect((await api.client.listPushSubscriptions()).subscriptions).toEqual([])
  })
})

inBrowser('a question of an agent', () => {
  it('is answered in the inbox by a suggestion or in own words, and on its task, and leaves the list', async () => {
    const ids = [await asks('First'), await asks('Second'), await asks('Third')]
    await using opened = await open()
    const { page } = opened
    await card(page, 'First').getByRole('button', { name: 'SQLite' }).click()
    await until(async () => ((await answerTo(ids[0] ?? '')) === 'SQLite' ? true : undefined))
    await card(page, 'Second').getByRole('textbox', { name: 'Answer' }).fill('Neither')
    await expectSound(opened)
    await page.keyboard.press('Enter')
    await until(async () => ((await answerTo(ids[1] ?? '')) === 'Neither' ? true : undefined))
    const questions = page.getByRole('region', { name: 'Questions' }).locator('[data-item]')
    await until(async () => ((await questions.count()) === 1 ? true : undefined))
    await page.goto(`${service.baseUrl}/tasks/${ids[2]}`)
    const asked = page.getByRole('region', { name: 'Question', exact: true })
    await asked.getByText('should it be?').waitFor()
    await expectSound(opened)
    await asked.getByRole('button', { name: 'PostgreSQL' }).click()
    await until(async () => ((await answerTo(ids[2] ?? '')) === 'PostgreSQL' ? true : undefined))
    await until(async () =>
      (await page.getByRole('region', { name: 'Question', exact: true }).count()) === 0 ? true : undefined,
    )
  })
})
