import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals'
import type { Page, Request } from 'playwright-core'
import { freePort } from '../bench/free-port.ts'
import { until } from '../journeys/api.ts'
import { connect } from '../journeys/client.ts'
import { moodyWorld } from '../journeys/moody.ts'
import { type Service, startService } from '../journeys/service.ts'
import { violationsIn } from './axe.ts'
import { closeBrowser, hasBrowser, openPage } from './browser.ts'
import { inBrowser } from './in-browser.ts'

let world: ReturnType<typeof moodyWorld>
let port: number
let service: Service
let isUp = false
const start = async () => {
  service = await startService({ env: { ...world.env, PORT: String(port) } })
  isUp = true
}
const kill = async () => {
  isUp = false
  await service?.kill9()
}
beforeAll(async () => {
  port = await freePort()
  world = moodyWorld()
})
// Services share one data folder, so a restarted one serves the next test.
beforeEach(async () => {
  if (hasBrowser && !isUp) await start()
})
afterAll(async () => {
  await closeBrowser()
  await kill()
  world[Symbol.dispose]()
})

const isPost = (request: Request) => request.method() === 'POST'

const LOST = 'Connection to the service lost.'
const killed = async (page: Page) => {
  await kill()
  await page.getByText(LOST).waitFor()
}
const back = async (page: Page) => {
  await start()
  await page.getByText(LOST).waitFor({ state: 'detached' })
}
/** The event stream keeps the network busy. */
const LOADED = `(() => {
  const loaded = performance.getEntriesByType('resource')
  return ['palette', 'create-task', 'popover-panel'].every((part) => loaded.some(({ name }) => name.includes(part))) &&
    performance.now() > 500 + Math.max(...loaded.map(({ responseEnd }) => responseEnd))
})()`
const opened = async () => {
  const it = await openPage(service.baseUrl, '/tasks/overview')
  await it.page.getByRole('heading', { name: 'Overview' }).waitFor()
  await until(async () => ((await it.page.evaluate(LOADED)) ? true : undefined))
  return it
}

inBrowser('a page whose service hangs', () => {
  it('says so once the stream has been silent, and goes on when the service does', async () => {
    await using it = await openPage(service.baseUrl, '/theme.js')
    const { page } = it
    await page.clock.install()
    await page.goto('/tasks')
    await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor()
    await page.clock.runFor(3_000)
    service.kill('SIGSTOP')
    try {
      // The stream is silent for longer than its heartbeat, and the health check fails.
      await page.clock.runFor(46_000)
      await page.clock.runFor(11_000)
      await page.getByText(LOST).waitFor()
      expect(await page.locator('main').evaluate((main) => getComputedStyle(main).filter)).toBe(
        'grayscale(1)',
      )
    } finally {
      service.kill('SIGCONT')
    }
    await until(async () => {
      await page.clock.runFor(1_000)
      return (await page.getByText(LOST).count()) === 0 || undefined
    })
    await connect(service.baseUrl).create({ title: 'After the pause' })
    await page.getByRole('row').filter({ hasText: 'After the pause' }).waitFor()
  })
})

inBrowser('the connection', () => {
  it('through a gateway that has no service behind it counts as lost', async () => {
    await using opened = await openPage(service.baseUrl, '/tasks/overview')
    const { page } = opened
    await page.getByRole('region', { name: 'Queue' }).getByText('Pending').waitFor()
    await page.route('**/api/**', (route) => route.fulfill({ status: 502, body: 'Bad Gateway' }))
    // It refetches what the open stream reports.
    await connect(service.baseUrl).client.createTask({ body: { title: 'Behind the gateway' } })
    await page.getByText(LOST).waitFor()
    await page.unroute('**/api/**')
    await page.getByText(LOST).waitFor({ state: 'detached' })
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  it('brings what keeps a panel empty, and that another is old', async () => {
    await using opened = await openPage(service.baseUrl, '/theme.js')
    const { page } = opened
    const broken = { status: 500, contentType: 'application/json', body: '{"error":"No disk","code":"x"}' }
    await page.route('**/api/queue/status', (route) => route.fulfill(broken))
    await page.goto('/tasks/overview')
    await page.getByRole('region', { name: 'Queue' }).getByRole('alert').getByText('No disk').waitFor()
    await page.getByRole('region', { name: 'Agents' }).getByText('completed').first().waitFor()
    await page.route('**/api/tasks/analytics*', (route) => route.fulfill(broken))
    await connect(service.baseUrl).client.createTask({ body: { title: 'Something new to count' } })
    const banner = page.getByRole('status').filter({ hasText: 'Some data could not be loaded' })
    await banner.waitFor()
    expect(await banner.count()).toBe(1)
  })
})

inBrowser('a page whose service was killed', () => {
  it('opens the form and the palette, keeps what is typed, and sends it when the service is back', async () => {
    await using it = await opened()
    const { page } = it
    const form = page.getByRole('dialog', { name: 'Create task' })
    const palette = page.getByRole('dialog', { name: 'Search' })
    await page.evaluate('window.isFirst = true')
    await killed(page)

    await page.keyboard.press('c')
    await form.getByLabel('Prompt').fill('Typed while it was away')
    await page.keyboard.press('Escape')
    await form.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+k')
    await palette.getByText('Create task').waitFor()
    await page.keyboard.press('Escape')
    await palette.waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'Overview' }).waitFor()

    await back(page)
    await page.keyboard.press('c')
    expect(await form.getByLabel('Prompt').inputValue()).toBe('Typed while it was away')
    await form.getByRole('button', { name: 'Create' }).click()
    await page.waitForURL(/\/tasks\/task_\w+$/)
    await page.getByText('Completed', { exact: true }).first().waitFor()
    expect(await page.evaluate('window.isFirst')).toBe(true)
  })

  it('says why its actions are off and how old it is, and offers again what was not sent, even to a new page', async () => {
    await using it = await opened()
    const { page } = it
    const form = page.getByRole('dialog', { name: 'Create task' })
    await page.goto('/tasks')
    await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor()
    await until(async () => ((await page.evaluate(LOADED)) ? true : undefined))
    await killed(page)
    await page.getByText(/Data is \d+s old/).waitFor()
    expect(await page.locator('main').evaluate((main) => getComputedStyle(main).filter)).toBe('grayscale(1)')
    expect(await violationsIn(page)).toEqual([])
    await page.keyboard.press('c')
    await form.getByLabel('Prompt').fill('Not to be lost')
    const send = form.getByRole('button', { name: 'Create' })
    expect([await send.getAttribute('aria-disabled'), await send.getAttribute('title')]).toEqual([
      'true',
      expect.stringContaining('The service is unreachable'),
    ])
    await page.keyboard.press('Escape')
    const offer = page.getByText('Not sent yet: Not to be lost')
    await offer.waitFor()
    await back(page)
    await page.getByText(/Data is/).waitFor({ state: 'detached' })
    await page.reload()
    await offer.waitFor()
    await page.getByRole('button', { name: 'Continue' }).click()
    await form.getByRole('button', { name: 'Create' }).click()
    await page.waitForURL(/\/tasks\/task_\w+$/)
    await page.getByRole('heading', { name: 'Not to be lost' }).waitFor()
    expect(await offer.count()).toBe(0)
  })

  it('sends a task once whose answer was lost, though the page is closed before it is sent again', async () => {
    await using it = await opened()
    const { page } = it
    const form = page.getByRole('dialog', { name: 'Create task' })
    await page.route('**/api/tasks', async (route) => {
      if (!isPost(route.request())) return route.continue()
      await route.fetch()
      await route.abort()
    })
    await page.keyboard.press('c')
    await form.getByLabel('Prompt').fill('Once')
    await form.getByRole('button', { name: 'Create' }).click()
    await form.getByText('No second task is created').waitFor()
    await page.unroute('**/api/tasks')
    await page.reload()
    await page.getByRole('button', { name: 'Continue' }).click()
    await form.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { name: 'Once', level: 1 }).waitFor()
    const { total } = await connect(service.baseUrl).client.filterTasks({ query: { q: 'Once' } })
    expect(total).toBe(1)
  })

  it('does not replace an edit that was not sent by one of another task', async () => {
    const { create } = connect(service.baseUrl)
    const [first, second] = [await create({ title: 'One' }), await create({ title: 'Two' })]
    await using it = await opened()
    const { page } = it
    const form = page.getByRole('dialog', { name: 'Edit and run again' })
    const edit = async ({ id, title }: { id: string; title: string }) => {
      await page.goto(`/tasks/${id}`)
      await page.getByRole('heading', { name: title, level: 1 }).waitFor()
      await page.keyboard.press('E')
    }
    await page.route('**/api/tasks', (route) => (isPost(route.request()) ? route.abort() : route.continue()))
    await edit(first)
    await form.getByLabel('Title').fill('One, edited')
    await page.keyboard.press('Control+Enter')
    await form.getByRole('alert').waitFor()
    await page.keyboard.press('Escape')
    const offer = page.getByText('Not sent yet: One, edited')
    await offer.waitFor()
    await edit(second)
    await page.getByText('You have an unsent task').first().waitFor()
    expect([await form.count(), await offer.count()]).toEqual([0, 1])
    await edit(first)
    expect(await form.getByLabel('Title').inputValue()).toBe('One, edited')
  })

  it('has no action that would fail without saying why, and no clock that goes on', async () => {
    const { create } = connect(service.baseUrl)
    const { id } = await create({ title: 'Runs', metadata: { runMs: 240_000 } })
    await using it = await opened()
    const { page } = it
    await page.goto(`/tasks/${id}`)
    const elapsed = page.getByLabel('Summary').locator('div', { hasText: 'Running' }).first()
    await elapsed.waitFor()
    const first = await elapsed.innerText()
    await until(async () => (await elapsed.innerText()) !== first || undefined)
    await killed(page)
    const last = await elapsed.innerText()
    await page.waitForTimeout(1_500)
    expect(await elapsed.innerText()).toBe(last)
    await back(page)
    await page.goto('/memory')
    const sync = page.getByRole('button', { name: 'Sync' })
    await sync.waitFor()
    await killed(page)
    expect(await sync.getAttribute('title')).toContain('The service is unreachable')
  })

  it('keeps its frame around a view that was not loaded yet, which comes by itself', async () => {
    await using it = await opened()
    const { page } = it
    await page.evaluate('window.isFirst = true')
    await killed(page)
    await page.getByRole('navigation').first().getByRole('link', { name: 'Memory' }).click()
    await page.getByRole('heading', { name: 'This view is not loaded yet' }).waitFor()
    await page.keyboard.press('c')
    await page.getByRole('dialog', { name: 'Create task' }).waitFor()
    await page.keyboard.press('Escape')
    await back(page)
    await page.getByRole('heading', { name: 'Memory', level: 1 }).waitFor()
    expect(await page.evaluate('window.isFirst')).toBe(true)
  })

  it('says in the place of an overlay that its code did not come, and has it when the service is back', async () => {
    await using it = await openPage(service.baseUrl, '/theme.js')
    const { page } = it
    await page.route(/\/assets\/create-task/, (route) => route.abort())
    const refused = page.waitForEvent('requestfailed', (request) => request.url().includes('create-task'))
    await page.goto('/tasks/overview')
    await refused
    await page.unrouteAll()
    await killed(page)
    await page.keyboard.press('c')
    await page.getByRole('dialog').getByText('It loads as soon as the service responds.').waitFor()
    // Behind a dialog it is visible, but not in the accessibility tree.
    await page.locator('h1', { hasText: 'Overview' }).waitFor()
    // A browser that caches the failed module needs a reload; others retry.
    const form = page.getByRole('dialog', { name: 'Create task' }).getByLabel('Prompt')
    const anew = page.waitForEvent('load').then(() => page.keyboard.press('c'))
    await back(page)
    await Promise.race([form.waitFor(), anew.then(() => form.waitFor())])
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  it('has a mark in the place of a button whose panel did not come, and opens it when the service is back', async () => {
    await using it = await openPage(service.baseUrl, '/theme.js')
    const { page } = it
    await page.route(/\/assets\/popover-panel/, (route) => route.abort())
    const refused = page.waitForEvent('requestfailed', (request) => request.url().includes('popover-panel'))
    await page.goto('/tasks')
    await refused
    await page.unrouteAll()
    await killed(page)
    const filter = page.getByRole('button', { name: 'Filter' }).first()
    await filter.click()
    const mark = page.getByRole('button', { name: 'Not loaded yet' })
    await mark.waitFor()
    expect(await mark.getAttribute('title')).toBe('It loads as soon as the service responds.')
    const panel = page.getByRole('dialog', { name: 'Filter' })
    const anew = page.waitForEvent('load').then(() => filter.click())
    await back(page)
    await Promise.race([panel.waitFor(), anew.then(() => panel.waitFor())])
  })
})
