import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
import { until } from '../journeys/api.ts'
import { connect } from '../journeys/client.ts'
import { moodyTask, moodyWorld } from '../journeys/moody.ts'
import { type Service, startService } from '../journeys/service.ts'
import { closeBrowser, openPage } from './browser.ts'
import { inBrowser } from './in-browser.ts'
import { expectSound } from './sound.ts'

const world = moodyWorld()
let service: Service
let api: ReturnType<typeof connect>

/** Failed in order: the first is the oldest. */
const failed = async (...titles: string[]) => {
  for (const title of titles) await api.perform(moodyTask(title, { failures: 99 }))
}
const letters = async (status: 'pending' | 'resolved' | 'discarded') =>
  (await api.client.listDlq({ query: { status } })).items.map(({ title }) => title)
const row = (page: Page, title: string) => page.getByRole('row').filter({ hasText: title })
const rowCount = async (page: Page, count: number) =>
  page.waitForFunction((most) => document.querySelectorAll('tbody tr').length === most, count)
const focused = (page: Page, title: string) =>
  page.waitForFunction((text) => document.activeElement?.textContent === text, title)

inBrowser('the view of the queue', () => {
  beforeAll(async () => {
    service = await startService({ env: world.env })
    api = connect(service.baseUrl)
    await failed('import', 'refactor', 'translate', 'review', 'summarize')
  })
  afterAll(async () => {
    await closeBrowser()
    await service.stop()
    world[Symbol.dispose]()
  })

  it('shows how much waits and why it failed, in a table and one by one', async () => {
    await using opened = await openPage(service.baseUrl, '/tasks/queue')
    const { page } = opened
    await rowCount(page, 5)
    expect(await page.getByRole('row').nth(1).innerText()).toMatch(
      /summarize\s+not in the mood for attempt 3/,
    )
    const header = page.getByRole('columnheader', { name: 'Actions' }).locator('span')
    expect(await header.evaluate((span) => span.getBoundingClientRect().width)).toBe(1)
    const meter = page.getByRole('meter', { name: /dead letters/ })
    expect(await meter.getAttribute('aria-valuetext')).toBe('5, healthy')
    await expectSound(opened)
    await page.getByRole('link', { name: 'summarize' }).click()
    await page.getByRole('dialog').getByText('after 3 attempts').waitFor()
    expect(page.url()).toMatch(/\/tasks\/queue\?item=dlq_/)
    await expectSound(opened)
  })

  it('discards one, which its filter then shows under an address of its own', async () => {
    await using opened = await openPage(service.baseUrl, '/tasks/queue')
    const { page } = opened
    await row(page, 'import').getByRole('button', { name: 'Discard' }).click()
    await rowCount(page, 4)
    expect(await letters('discarded')).toEqual(['import'])
    const tabs = page.getByRole('navigation', { name: 'Dead letters by state' })
    await tabs.getByRole('link', { name: 'Discarded 1' }).click()
    await rowCount(page, 1)
    expect(page.url()).toMatch(/\/tasks\/queue\?status=discarded$/)
    expect(await tabs.locator('[aria-current=page]').allInnerTexts()).toEqual([
      expect.stringContaining('Discarded'),
    ])
    await page.reload()
    await rowCount(page, 1)
    expect(await row(page, 'import').getByRole('button').count()).toBe(0)
  })

  it('takes keys to choose rows, asks before it discards them, retries them together, and lists what was refused and why', async () => {
    await using opened = await openPage(service.baseUrl, '/tasks/queue')
    const { page } = opened
    await rowCount(page, 4)
    for (const title of ['summarize', 'review', 'translate']) {
      await page.keyboard.press('j')
      await focused(page, title)
      await page.keyboard.press('x')
    }
    await page.keyboard.press('k')
    await focused(page, 'review')
    await page.getByRole('button', { name: 'Discard 3' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Keep' }).click()
    expect(await letters('pending')).toHaveLength(4)
    const [newest] = (await api.client.listDlq()).items
    await page.getByRole('button', { name: 'Retry 3' }).click()
    const asked = page.getByRole('dialog', { name: 'Retry 3 dead letters?' })
    await asked.waitFor()
    // Another client decides one of them first.
    await page.route('**/api/dlq?*', (route) => route.fulfill({ status: 503, body: '{}' }))
    await api.client.discardDlqItem({ params: { id: newest?.id ?? '' } })
    world.cure()
    await asked.getByRole('button', { name: 'Retry 3' }).click()
    await page.getByText('2 of 3 retried').waitFor()
    const refused = page.getByRole('list', { name: 'What failed' })
    expect(await refused.innerText()).toMatch(/summarize\s+This dead letter is already/)
    expect((await letters('resolved')).toSorted()).toEqual(['review', 'translate'])
  })

  it('opens what an address names though it is far down the list, and says so when it is not in it', async () => {
    rmSync(world.env.MOODY_CURE ?? '')
    const many = Array.from({ length: 45 }, (_, n) => moodyTask(`task ${n}`, { failures: 99 }))
    await Promise.all(many.map((body) => api.create(body)))
    await until(async () =>
      (await api.client.listDlq({ query: { status: 'all' } })).total === 50 ? true : undefined,
    )
    const viewport = { width: 1280, height: 300 }
    await using opened = await openPage(service.baseUrl, '/tasks/queue?item=dlq_gone', { viewport })
    const { page } = opened
    const dialog = page.getByRole('dialog')
    await dialog.getByText('It is not in this list').waitFor()
    // Pages of ten stand for lists of thousands.
    await page.route('**/api/dlq?*', (route) =>
      route.continue({ url: route.request().url().replace('limit=100', 'limit=10') }),
    )
    const [oldest] = (await api.client.listDlq({ query: { status: 'all' } })).items.slice(-1)
    expect(oldest?.title).toBe('import')
    await page.goto(`/tasks/queue?status=all&item=${oldest?.id}`)
    await dialog.getByRole('link', { name: 'Open the task' }).click()
    await page.waitForURL(`**/tasks/${oldest?.taskId}`)
  })

  it('shows the dead letter of a task that was retried from its own page as resolved, with the new task', async () => {
    const { items } = await api.client.listDlq({ query: { status: 'all', limit: 200 } })
    const letter = items.find(({ title }) => title === 'refactor')
    await using opened = await openPage(service.baseUrl, `/tasks/${letter?.taskId}`)
    const { page } = opened
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.waitForURL(
      (url) => /\/tasks\/task_\w+$/.test(url.pathname) && !url.pathname.endsWith(letter?.taskId ?? ''),
    )
    const { pathname } = new URL(page.url())
    await page.goto(`/tasks/queue?status=resolved&item=${letter?.id}`)
    const dialog = page.getByRole('dialog')
    await dialog.getByText('by local').waitFor()
    await expectSound(opened)
    await dialog.getByRole('link', { name: 'a new task' }).click()
    await page.waitForURL(`**${pathname}`)
  })
})
