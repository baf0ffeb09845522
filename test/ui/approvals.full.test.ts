import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
import { visibleText } from '../../functions/ui/app/components/visible-text.ts'
import type { Approval } from '../../functions/ui/app/data/approvals.ts'
import { decided, followed } from '../../functions/ui/app/views/approvals/calls.ts'
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
  service = await openService()
  api = connect(service.baseUrl)
}, 120_000)
afterAll(async () => {
  await closeBrowser()
  await service?.[Symbol.asyncDispose]()
})

/** Pending calls of one test must not appear in the next. */
afterEach(async () => {
  if (!hasBrowser) return
  for (const { id } of (await api.client.listApprovals()).approvals) await deny(id)
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
const open = (at = '/approvals') => openPage(service.baseUrl, at)
const card = (page: Page, text: string) =>
  page.getByRole('list', { name: 'Pending calls' }).getByRole('listitem').filter({ hasText: text })
const isAllowed = (page: Page, text: string) =>
  card(page, text).getByText('Allowed', { exact: true }).waitFor()
const badge = (page: Page, text: string) =>
  page.getByRole('link', { name: `Approvals ${text}`.trim(), exact: true }).waitFor()

inBrowser('the view of approvals', () => {
  it('says when nothing waits, and what became of a call that an address names', async () => {
    await using opened = await open('/approvals?item=apv_gone')
    await opened.page.getByText('No pending approvals').waitFor()
    await opened.page.getByText('This call is no longer pending').waitFor()
    await badge(opened.page, '')
    await expectSound(opened)
  })

  it('is where a badge leads that counts what waits; what is allowed there goes on', async () => {
    await using opened = await open('/tasks/overview')
    const { page } = opened
    const conversation = await converse('Release notes', write('notes.md'))
    await badge(page, '1 waiting')
    await page.getByText('tool call waiting for approval').waitFor()
    await page.getByRole('link', { name: 'Approvals 1 waiting' }).click()
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
    await page.getByText('No pending approvals').waitFor()
    await expectSound(opened)
  })

  it('allows several at once but those that run a program, after they were listed, and denies them all', async () => {
    const ids = [await task('First', write('a.txt')), await task('Second', write('b.txt'))]
    const runs = await task('Third', RUN)
    await using opened = await open()
    const { page } = opened
    await card(page, 'args').getByText('test "two words"').waitFor()
    for (const key of ['j', 'x']) await page.keyboard.press(key)
    await page.getByText('1 selected').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('1 selected').waitFor({ state: 'detached' })
    await page.getByRole('checkbox', { name: 'Select all pending' }).check()
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
    await card(page, 'c.txt')
      .getByRole('button', { name: /^Always allow/ })
      .click()
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
    await allowed.getByRole('button', { name: 'Remove the permission for write_file?' }).click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    // Behind the dialog nothing has a role.
    await dialog.waitFor({ state: 'detached' })
    await allowed.waitFor({ state: 'detached' })
    expect(await say(conversation, write('e.txt'))).toHaveProperty('pendingApprovals')
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
    const [, g] = (await api.client.listApprovals()).approvals
    await page.route('**/api/security/approvals', (route) => route.fulfill({ json: { approvals: [f, g] } }))
    await deny(f?.id)
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
    await using opened = await open('/health')
    const { page } = opened
    const [one] = (await api.client.listApprovals()).approvals
    const soon = new Date(Date.now() + 20_000).toISOString()
    await page.route('**/api/security/approvals', async (route) => {
      const left = Date.parse(one?.expiresAt ?? '') > Date.now() ? [{ ...one, expiresAt: soon }] : []
      await route.fulfill({ json: { approvals: left } })
    })
    await page.clock.install()
    // The mocked list is not announced by the event stream.
    await page.route('**/api/events/stream*', (route) => route.fulfill({ status: 503, body: '{}' }))
    await page.reload()
    await page.getByRole('link', { name: /^Approvals/ }).click()
    await card(page, 'g.txt')
      .getByText(/^0:\d\d left$/)
      .waitFor()
    await page.clock.fastForward(20_000)
    await card(page, 'g.txt').getByText('Expired').waitFor()
    await card(page, 'g.txt').getByText('No decision in time').waitFor()
    expect(await card(page, 'g.txt').getByRole('button', { name: 'Allow once' }).count()).toBe(0)
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
