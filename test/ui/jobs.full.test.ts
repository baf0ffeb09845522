import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
import { finishedTasks } from '../fixtures/finished-tasks.ts'
import { closeBrowser, hasBrowser, openPage } from './browser.ts'
import { inBrowser } from './in-browser.ts'
import { startWorld, type World } from './world.ts'

let world: World
let failed: string
beforeAll(async () => {
  if (!hasBrowser) return
  world = await startWorld()
  const costly = finishedTasks(1).map((task) => ({
    ...task,
    completedAt: new Date().toISOString(),
    cost: { usd: 3.21, source: 'price' },
  }))
  await world.client.importTasks({ body: { version: '1.0', tasks: costly } })
  const diffs = ['first', 'second', 'third'].map(
    (word) => `diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-old\n+${word}\n`,
  )
  failed = (await world.perform({ title: 'Broken build', metadata: { failures: 3, diffs } })).id
})
afterAll(async () => {
  await closeBrowser()
  await world?.stop()
})

const CLICKS = 'clicks'
/** Presses of the mouse, on whatever. What is typed is not counted. */
const countClicks = (page: Page) =>
  page.addInitScript((name) => {
    addEventListener(
      'pointerdown',
      () => sessionStorage.setItem(name, String(Number(sessionStorage.getItem(name)) + 1)),
      true,
    )
  }, CLICKS)
const clicksOf = (page: Page) => page.evaluate((name) => Number(sessionStorage.getItem(name)), CLICKS)

type Job = { path: string; clicks: number; does: (page: Page) => Promise<unknown> }
const jobs: Readonly<Record<string, Job>> = {
  'why it failed': {
    path: '/tasks',
    clicks: 1,
    does: async (page) => {
      await page.getByRole('link', { name: 'Broken build', exact: true }).click()
      await page.getByRole('region', { name: /^Why/ }).getByText('not in the mood for attempt 3').waitFor()
    },
  },
  'what the last week cost': {
    path: '/tasks',
    clicks: 1,
    does: async (page) => {
      await page.getByRole('link', { name: 'Overview', exact: true }).click()
      await page.getByText('Last 7 days', { exact: true }).waitFor()
      await page.getByText('$3.21').first().waitFor()
    },
  },
  'find a task by its error': {
    path: '/',
    clicks: 1,
    does: async (page) => {
      await page.getByRole('heading', { name: 'What should an agent do?' }).waitFor()
      await page.keyboard.press('Control+k')
      const palette = page.getByRole('dialog', { name: 'Search' })
      await palette.getByRole('combobox').fill('mood attempt 3')
      await palette.getByRole('option').filter({ hasText: 'Broken build' }).first().click()
      await page.getByRole('heading', { name: 'Broken build', level: 1 }).waitFor()
    },
  },
  'compare two attempts': {
    path: '/tasks',
    clicks: 2,
    does: async (page) => {
      await page.getByRole('link', { name: 'Broken build', exact: true }).click()
      await page.getByRole('link', { name: 'Compare', exact: true }).click()
      await page.getByRole('heading', { name: '1 file differs' }).waitFor()
    },
  },
  // The last: its turn is another task that fails.
  'reply on the page of a task': {
    path: '/theme.js',
    clicks: 1,
    does: async (page) => {
      await page.goto(`/tasks/${failed}`)
      await page.getByRole('heading', { name: 'Broken build', level: 1 }).waitFor()
      await page.getByRole('form', { name: 'Reply' }).getByRole('textbox').click()
      await page.keyboard.type('Try again')
      await page.keyboard.press('Control+Enter')
      await page.getByText('Turn 2 of 2').waitFor()
    },
  },
}

/** The call on a phone that is allowed in one tap is in `inbox.full`. */
inBrowser('a job that people come for', () => {
  it.each(Object.entries(jobs))('is done in few clicks: %s', async (_name, { path, clicks, does }) => {
    await using opened = await openPage(world.baseUrl, '/theme.js')
    const { page, faults } = opened
    await countClicks(page)
    await page.goto(path)
    await does(page)
    expect(await clicksOf(page)).toBe(clicks)
    expect(faults).toEqual([])
  })
})
