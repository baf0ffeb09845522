import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
import { finishedTasks } from '../fixtures/finished-tasks.ts'
import { until } from '../journeys/api.ts'
import { violationsIn } from './axe.ts'
import { closeBrowser, hasBrowser, loadAnew, openPage } from './browser.ts'
import { inBrowser } from './in-browser.ts'
import { expectSound } from './sound.ts'
import { startWorld, type World } from './world.ts'

/** Every view: path and a text that shows that it has loaded. Overlays are opened by key. */
type View = { path: string; text: string; key?: string; overlay?: string }
const VIEWS: readonly View[] = [
  { path: '/', text: 'What should an agent do?' },
  { path: '/tasks/overview', text: 'Success rate' },
  { path: '/settings/models', text: 'No model keys yet' },
  { path: '/tasks', text: 'Imported 3' },
  { path: '/tasks?status=pending', text: 'No tasks match these filters' },
  { path: '/tasks/{failed}', text: 'Why it failed' },
  { path: '/tasks/{done}', text: 'done by attempt 1' },
  { path: '/tasks', text: 'Imported 3', key: 'c', overlay: 'Create task' },
  { path: '/tasks', text: 'Imported 3', key: '?', overlay: 'Keys' },
  { path: '/tasks', text: 'Imported 3', key: 'Control+k', overlay: 'Search' },
  { path: '/inbox', text: 'not retried' },
  { path: '/settings/security', text: 'What each mode allows' },
  { path: '/settings/security/audit', text: 'No tool calls yet' },
  { path: '/schedules', text: 'No schedules yet' },
  { path: '/schedules?schedule=new', text: 'Next runs' },
  { path: '/settings/integrations', text: 'Web search is disabled' },
  { path: '/chat', text: 'What should the agent do?' },
  { path: '/settings/webhooks', text: 'No webhooks yet' },
  { path: '/settings/webhooks/new', text: 'Signing secret' },
  { path: '/tasks/failures', text: 'Mute' },
  { path: '/tasks/bulk', text: 'Cancel 1 task' },
  { path: '/tasks/bulk/bulk_none', text: 'Bulk job not found' },
  { path: '/nowhere', text: 'This page does not exist' },
]

let world: World
let ids: Record<string, string>
beforeAll(async () => {
  if (!hasBrowser) return
  world = await startWorld()
  await world.client.importTasks({ body: { version: '1.0', tasks: finishedTasks(6) } })
  const more = { labels: ['backend'], repository: 'acme/web', sourceUrl: 'https://example.com/1' }
  const failed = await world.perform({ title: 'Failed', metadata: { failures: 9 }, ...more })
  const done = await world.perform({ title: 'Done', prompt: 'Do it', ...more })
  await world.client.bulkTasks({ body: { action: 'cancel', ids: [done.id] } })
  ids = { failed: failed.id, done: done.id }
  await world.create({ title: 'Runs', metadata: { runMs: 240_000 } })
})
afterAll(async () => {
  await closeBrowser()
  await world?.stop()
})

const filledPath = (path: string) => path.replace(/\{(\w+)\}/, (_whole, name: string) => ids[name] ?? '')

const openView = async (page: Page, { text, key, overlay = '' }: View) => {
  await page.getByText(text).first().waitFor()
  if (!key) return
  await page.keyboard.press(key)
  await page.getByRole('dialog', { name: overlay }).waitFor()
}

const open = async (view: View) => {
  const opened = await openPage(world.baseUrl, filledPath(view.path), { colorScheme: 'light' })
  await openView(opened.page, view)
  return opened
}

inBrowser('the view', () => {
  let shared: Awaited<ReturnType<typeof openPage>>
  beforeAll(async () => {
    shared = await openPage(world.baseUrl, '/theme.js')
  })
  afterAll(() => shared?.[Symbol.asyncDispose]())

  it.each(
    VIEWS.map((view) => [`${view.path}${view.overlay ? ` under ${view.overlay}` : ''}`, view] as const),
  )(
    '%s has nothing that axe finds wrong in either theme, breaks no policy and fits 390 px',
    async (_name, view) => {
      await loadAnew(shared, filledPath(view.path))
      await openView(shared.page, view)
      await expectSound(shared)
    },
  )

  it('of a phone has nothing that axe finds wrong either, its menu included', async () => {
    await using opened = await openPage(world.baseUrl, '/tasks', { viewport: { width: 390, height: 844 } })
    const { page } = opened
    await page.getByText('Imported 3').first().waitFor()
    expect(await violationsIn(page)).toEqual([])
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('link', { name: 'Settings' }).waitFor()
    expect(await violationsIn(page)).toEqual([])
  })
})

const LONG = `**Bold** <img src=x onerror=alert(1)> [link](javascript:alert(1))\n\n${'A line of some length.\n\n'.repeat(90)}`
const LONG_LINE = `+${'wide '.repeat(200)}`
const ERROR = { code: 'agent_error', message: LONG, retryable: false }
const RESULT = {
  success: true,
  output: LONG,
  model: 'demo',
  notes: LONG,
  diff: `diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n${LONG_LINE}\n`,
}

/** Overflowing scroll areas within the page, and whether the keyboard can reach them. */
const overflowing = () =>
  [...document.querySelectorAll<HTMLElement>('main *')]
    .filter((one) => one.checkVisibility() && /auto|scroll/.test(getComputedStyle(one).overflow))
    .filter((one) => one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1)
    .filter((one) => !one.querySelector('[aria-label=Summary]'))
    .map((one) => `${one.getAttribute('aria-label')}: ${one.tabIndex}`)

inBrowser('texts longer than their box', () => {
  const [finished] = finishedTasks(1)
  const asked = { description: LONG, prompt: LONG, metadata: { note: LONG } }
  const task = { ...finished, ...asked }

  const INPUT = ['Prompt', 'Description', 'Metadata']
  const PROMPT = 'Prompt: Imported 0'
  it.each<[string, Record<string, unknown> & { id: string }, Readonly<Record<string, readonly string[]>>]>([
    [
      'result',
      { ...task, id: 'task_longresult', status: 'completed', result: RESULT },
      { output: [PROMPT], changes: ['Changes of a.txt'], input: INPUT },
    ],
    [
      'failure',
      { ...task, id: 'task_longerror', status: 'failed', error: ERROR },
      { output: ['Error'], input: INPUT },
    ],
  ])('of a task with a %s scroll within reach of the keyboard', async (_what, long, tabs) => {
    await world.client.importTasks({ body: { version: '1.0', tasks: [long] } })
    // Narrow enough for a diff in one column, whose long lines scroll.
    const viewport = { width: 1100, height: 800 }
    await using opened = await openPage(world.baseUrl, `/tasks/${long.id}`, { viewport })
    const { page, faults } = opened
    const folds = page.locator('main details:not([open]) > summary')
    for (const [tab, labels] of Object.entries(tabs)) {
      await page.goto(`/tasks/${long.id}?tab=${tab}`)
      await page
        .getByLabel(labels[0] ?? '')
        .first()
        .waitFor()
      while ((await folds.count()) > 0) await folds.first().click()
      expect(await page.evaluate(overflowing)).toEqual(labels.map((label) => `${label}: 0`))
      expect(await violationsIn(page)).toEqual([])
    }
    expect(faults).toEqual([])
    if (!('changes' in tabs)) return
    await page.goto(`/tasks/${long.id}`)
    const output = page.getByRole('region', { name: 'Output' })
    await output.locator('strong', { hasText: 'Bold' }).waitFor()
    expect(await output.locator('img, a').count()).toBe(0)
    expect(await output.innerText()).toContain('<img src=x onerror=alert(1)> link')
  })
})

/** Hit test: whether the element itself is on top. */
const hits = (selector: string, at: readonly [x: number, y: number]) => {
  const element = document.querySelector(selector)
  if (!element) return `no ${selector}`
  const { left, top, width, height } = element.getBoundingClientRect()
  const hit = document.elementFromPoint(left + width * at[0], top + height * at[1])
  return element.contains(hit) || hit?.outerHTML.slice(0, 120)
}

const PLACES: readonly (readonly [number, number])[] = [
  ...([
    [0.5, 0.1],
    [0.5, 0.5],
    [0.1, 0.9],
    [0.9, 0.9],
  ] as const),
]

inBrowser('what is opened over the page', () => {
  it.each([
    ['the dialog', 'c'],
    ['the palette', 'Control+k'],
  ])('%s lies over the sticky head of the table and over everything else', async (_name, key) => {
    await using opened = await open({ path: '/tasks', text: 'Imported 3' })
    const { page } = opened
    await page.keyboard.press(key)
    await page.getByRole('dialog').waitFor()
    for (const place of PLACES)
      expect(await page.evaluate(`(${hits})('[role=dialog]', [${place}])`)).toBe(true)
  })

  it('the panel of filters lies over the table as well, and is opened and left by keys', async () => {
    await using opened = await open({ path: '/tasks', text: 'Imported 3' })
    const { page } = opened
    for (const name of [/^Filter/]) {
      const button = page.getByRole('button', { name }).first()
      await button.focus()
      // Its code loads on first use, and the button is rendered again.
      for (const key of ['Enter', 'Enter', 'Space']) {
        expect(await button.getAttribute('aria-expanded')).toBe('false')
        await page.keyboard.press(key)
        await page.locator('[role=dialog]:focus-within').waitFor()
        for (const place of PLACES)
          expect(await page.evaluate(`(${hits})('[role=dialog]', [${place}])`)).toBe(true)
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'detached' })
        expect(await button.evaluate((one) => one === document.activeElement)).toBe(true)
      }
      await button.click()
      await page.getByRole('dialog').waitFor()
      await button.click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
  })

  it('a toast lies over the page, and says what was refused until it is closed', async () => {
    await using opened = await open({ path: '/tasks/{done}', text: 'done by attempt 1' })
    const { page } = opened
    await page.route('**/retry', (route) => route.fulfill({ status: 400, json: { error: 'Not like this' } }))
    const toast = page.getByText('Not like this').first()
    // The key acts once the page has found the service there.
    await until(async () => {
      await page.keyboard.press('r')
      return (await toast.isVisible()) || undefined
    })
    const isOnTop = await toast.evaluate((element) => {
      const { left, top } = element.getBoundingClientRect()
      return element.contains(document.elementFromPoint(left + 4, top + 4))
    })
    expect(isOnTop).toBe(true)
    await page.getByLabel('Dismiss').click()
    await toast.waitFor({ state: 'detached' })
    expect(await toast.count()).toBe(0)
  })
})

inBrowser('the theme', () => {
  it('is that of the system until a user chooses, and is there before the first paint', async () => {
    await using opened = await openPage(world.baseUrl, '/', { colorScheme: 'dark' })
    const { page } = opened
    const isDark = () => page.evaluate(() => document.documentElement.classList.contains('dark'))
    expect(await isDark()).toBe(true)
    await page.getByRole('button', { name: 'System theme; change to light' }).click()
    expect(await isDark()).toBe(false)
    await page.reload({ waitUntil: 'commit' })
    await page.waitForFunction(() => document.body !== null)
    expect(await isDark()).toBe(false)
    await page.getByRole('button', { name: 'Light theme; change to dark' }).click()
    expect(await isDark()).toBe(true)
  })

  it('changes at once, and nothing moves, for those who asked for less motion', async () => {
    await using opened = await open({ path: '/tasks', text: 'Runs', key: 'Control+k', overlay: 'Search' })
    const { page } = opened
    const moving = () => page.evaluate(() => document.getAnimations().length)
    expect(await moving()).toBe(0)
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.locator('html.dark').waitFor()
    expect(await moving()).toBe(0)
  })
})
