import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
import { finishedTasks } from '../fixtures/finished-tasks.ts'
import { until } from '../journeys/api.ts'
import { closeBrowser, hasBrowser, openPage } from './browser.ts'
import { inBrowser } from './in-browser.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  if (!hasBrowser) return
  world = await startWorld()
  await world.client.createTask({ body: { title: 'The first' } })
})
afterAll(async () => {
  await closeBrowser()
  await world?.stop()
})

const STREAM = '/api/events/stream'
const FENCE = '/theme.js'
/** Advances the page's timers. Requests of these timers precede FENCE. */
const pass = async (page: Page, ms: number) => {
  await page.clock.runFor(ms)
  await page.evaluate((path) => fetch(path), FENCE)
}

inBrowser('a page that follows the stream of changes', () => {
  it('asks nothing while nothing happens, and shows what does', async () => {
    await using opened = await openPage(world.baseUrl, FENCE)
    const { page, faults } = opened
    await page.clock.install()
    await page.goto('/tasks')
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.getByRole('table', { name: 'Tasks' }).waitFor()
    // The preload of overlays is the last request.
    await until(() => pass(page, 1_000).then(() => asked.find((path) => path.includes('/palette'))))
    await pass(page, 3_000)
    asked.length = 0
    // Longer than any poll interval.
    await pass(page, 12_000)
    expect(asked).toEqual([FENCE])

    await world.client.createTask({ body: { title: 'Made elsewhere' } })
    await page.getByRole('row').filter({ hasText: 'Made elsewhere' }).getByText('Completed').waitFor()
    expect(asked.length).toBeGreaterThan(0)
    expect(faults).toEqual([])
  })

  it('asks for no long list anew when a task of it changes, which shows all the same', async () => {
    const { id } = await world.create({ title: 'Runs meanwhile', metadata: { runMs: 240_000 } })
    const tasks = finishedTasks(700)
    await world.client.importTasks({ body: { version: '1.0', tasks } })
    await using opened = await openPage(world.baseUrl, '/tasks')
    const { page } = opened
    const scroller = page.getByRole('region', { name: 'Tasks' })
    await scroller.waitFor()
    // From the sixth page on the list is not refetched.
    const refresh = page.getByRole('button', { name: 'Refresh' })
    while (!(await refresh.isVisible())) await scroller.evaluate((one) => one.scrollTo(0, one.scrollHeight))
    await scroller.evaluate((one) => one.scrollTo(0, 0))
    const row = page.getByRole('row').filter({ hasText: 'Runs meanwhile' })
    await row.getByText('Running', { exact: true }).waitFor()
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await world.client.cancelTask({ params: { id } })
    await row.getByText('Cancelled').waitFor()
    await page.waitForTimeout(2_000)
    expect(asked).not.toContain('/api/tasks/filter')
  })

  it('shows by which task one is run again from elsewhere', async () => {
    const { id } = await world.perform({ title: 'Once more' })
    await using opened = await openPage(world.baseUrl, `/tasks/${id}`)
    const { page } = opened
    await page.getByRole('heading', { name: 'Once more' }).waitFor()
    const { task } = await world.client.retryTask({ params: { id } })
    await page.getByText('Retried as', { exact: true }).waitFor()
    const link = page.getByRole('link', { name: task.id })
    expect(await link.getAttribute('href')).toContain(task.id)
  })

  it('reads the log and the data of a task that is over no second time because others change', async () => {
    const { id } = await world.perform({ title: 'Over' })
    await using opened = await openPage(world.baseUrl, `/tasks/${id}?tab=log`)
    const { page } = opened
    await page.getByRole('list', { name: 'Events' }).waitFor()
    await page.waitForTimeout(1_500)
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    const network = await opened.context.newCDPSession(page)
    await network.send('Network.enable')
    let changes = 0
    network.on('Network.eventSourceMessageReceived', () => {
      changes += 1
    })
    await world.perform({ title: 'Another' })
    await until(() => changes > 1 || undefined)
    await page.waitForTimeout(1_500)
    expect(asked.filter((path) => path.includes(id))).toEqual([])
  })

  it('reads the log of a task that runs when the stream tells of progress, and not each second', async () => {
    const make = async (mood: object) =>
      (await world.create({ title: 'Runs', metadata: { ...mood, runMs: 240_000 } })).id
    // One message is one event; further events are batched for a second.
    const quiet = await make({ lines: 1 })
    await using opened = await openPage(world.baseUrl, FENCE)
    const { page } = opened
    await page.clock.install()
    await page.goto(`/tasks/${quiet}?tab=log`)
    const log = page.getByRole('list', { name: 'Events' })
    await log.getByText('line 1 of 1').waitFor()
    await pass(page, 1_000)
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await pass(page, 8_000)
    expect(asked.filter((path) => path === `/api/tasks/${quiet}/events`)).toEqual([])

    await page.goto(`/tasks/${await make({ linesEachSecond: 1 })}?tab=log`)
    await log.getByText('line 1 of 1').first().waitFor()
    await page.clock.pauseAt(Date.now() + 3_600_000)
    const lines = () => log.getByText('line 1 of 1').count()
    const before = await lines()
    // The page's clock advances by less than ten seconds.
    await until(() => page.clock.runFor(5).then(async () => (await lines()) > before || undefined))
  })

  it('shows what a task says on a connection that is slower than the task', async () => {
    const { id } = await world.create({ title: 'Talks', metadata: { linesEachSecond: 1, runMs: 240_000 } })
    await using opened = await openPage(world.baseUrl, `/tasks/${id}?tab=log`)
    const { page } = opened
    const log = page.getByRole('list', { name: 'Events' })
    await log.getByText('line 1 of 1').first().waitFor()
    let isLeft = false
    await page.route(`**/api/tasks/${id}/events*`, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1_500))
      if (!isLeft) await route.continue()
    })
    let cancelled = 0
    page.on('requestfailed', (request) => {
      if (request.url().includes('/events?')) cancelled += 1
    })
    const lines = () => log.getByText('line 1 of 1').count()
    const before = await lines()
    await until(async () => (await lines()) > before + 1 || undefined)
    expect(cancelled).toBe(0)
    isLeft = true
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  it('reads nothing anew where its stream ends and goes on, or its tab is hidden and seen again', async () => {
    await using opened = await openPage(world.baseUrl, FENCE)
    const { page } = opened
    let streams = 0
    await page.route(`**${STREAM}*`, (route) => {
      streams += 1
      return route.fulfill({ contentType: 'text/event-stream', body: 'retry: 200\n\n' })
    })
    await page.goto('/tasks')
    await page.getByRole('table', { name: 'Tasks' }).waitFor()
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    const pause = () => page.waitForTimeout(200)
    await until(() => streams > 2 || undefined)
    await page.waitForTimeout(1_500)
    asked.length = 0
    for (const state of ['hidden', 'visible']) {
      await page.evaluate((visibilityState) => {
        Object.defineProperty(document, 'visibilityState', { value: visibilityState, configurable: true })
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
      }, state)
      await pause()
    }
    const before = streams
    await until(() => streams > before + 2 || undefined)
    expect(new Set(asked)).toEqual(new Set([STREAM, '/api/health']))
  })

  it('moves a window of time on where nothing happens', async () => {
    await using opened = await openPage(world.baseUrl, FENCE)
    const { page } = opened
    await page.clock.install()
    await page.goto('/tasks/overview?window=1h')
    const bars = page.getByRole('list', { name: 'Tasks by 5 minutes' }).getByRole('link')
    await bars.first().waitFor()
    await pass(page, 3_000)
    const moved = page.waitForResponse(/analytics\?window=1h/)
    await pass(page, 305_000)
    expect((await moved).status()).toBe(200)
  })

  it('asks no agent for its health because a task has changed', async () => {
    await using opened = await openPage(world.baseUrl, '/tasks/overview')
    const { page } = opened
    await page.getByRole('region', { name: 'Agents' }).getByRole('listitem').first().waitFor()
    let asked = 0
    let changes = 0
    // An open poll request would be cancelled and repeated by a change.
    await page.route('**/api/agents', () => {
      asked += 1
    })
    page.on('request', (request) => {
      changes += Number(request.url().includes('/api/tasks/filter?status=in_progress'))
    })
    while (changes < 4) await world.perform({ title: 'One of many' })
    expect(asked).toBeLessThanOrEqual(1)
  })

  it('asks again by itself where there is no stream', async () => {
    await using opened = await openPage(world.baseUrl, '/')
    const { page } = opened
    await page.route(`**${STREAM}*`, (route) => route.fulfill({ status: 503, body: '{}' }))
    await page.goto('/tasks')
    await page.getByRole('table', { name: 'Tasks' }).waitFor()
    await world.client.createTask({ body: { title: 'Seen by polling' } })
    const row = page.getByRole('row').filter({ hasText: 'Seen by polling' })
    await row.getByText('Completed').waitFor()
    expect(await row.count()).toBe(1)
  })
})
