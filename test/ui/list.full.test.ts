import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
import { finishedTasks } from '../fixtures/finished-tasks.ts'
import { until } from '../journeys/api.ts'
import { violationsIn } from './axe.ts'
import { closeBrowser, hasBrowser, openPage } from './browser.ts'
import { inBrowser } from './in-browser.ts'
import { expectSound } from './sound.ts'
import { startWorld, type World } from './world.ts'

const ROWS = 5_000

let world: World
beforeAll(async () => {
  if (!hasBrowser) return
  world = await startWorld()
  await world.client.importTasks({ body: { version: '1.0', tasks: finishedTasks(ROWS) } })
})
afterAll(async () => {
  await closeBrowser()
  await world?.stop()
})

const table = (page: Page) => page.getByRole('table', { name: 'Tasks' })
const row = (page: Page, title: string) => page.getByRole('row').filter({ hasText: title })

/** Both keys within one frame. */
const typeFast = (page: Page, text: string) =>
  page.evaluate((keys) => {
    for (const key of keys)
      (document.activeElement ?? document.body).dispatchEvent(
        new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
      )
  }, text)

inBrowser('the list of tasks', () => {
  it('keeps its filters in the address, and finds them there', async () => {
    await using opened = await openPage(world.baseUrl, '/tasks')
    const { page, faults } = opened
    await table(page).waitFor()
    await page.getByRole('button', { name: 'Failed', exact: true }).click()
    await page.getByRole('button', { name: 'Cancelled', exact: true }).click()
    await page.keyboard.press('/')
    await page.keyboard.type('Imported 12')
    await page.waitForURL((url) => url.searchParams.get('q') === 'Imported 12')
    expect(new URL(page.url()).search).toBe('?status=failed,cancelled&q=Imported+12')
    await page.reload()
    await row(page, 'Imported 12').first().waitFor()
    expect(await page.getByRole('searchbox').inputValue()).toBe('Imported 12')
    expect(await page.getByRole('button', { name: 'Failed', exact: true }).getAttribute('aria-pressed')).toBe(
      'true',
    )
    expect(await page.getByRole('row').filter({ hasText: 'Completed' }).count()).toBe(0)
    expect(faults).toEqual([])
  })

  it('leaves the spaces of what is typed in the search, and who goes away is not drawn back', async () => {
    await using opened = await openPage(world.baseUrl, '/tasks')
    const { page } = opened
    const field = page.getByRole('searchbox')
    await field.click()
    await page.keyboard.type('Imported ')
    await page.waitForURL((url) => url.searchParams.get('q') === 'Imported')
    expect(await field.inputValue()).toBe('Imported ')
    await page.keyboard.type('12')
    await page.waitForURL((url) => url.searchParams.get('q') === 'Imported 12')
    // Leaving the field applies the pending search.
    await page.keyboard.type('3')
    await page.getByRole('link', { name: 'Queue' }).click()
    await page.getByRole('heading', { name: 'Queue' }).waitFor()
    await page.waitForTimeout(400)
    expect(new URL(page.url()).pathname).toBe('/tasks/queue')
  })

  it.each([
    ['/queue?status=all', 'Queue', '/tasks/queue?status=all'],
    ['/failures?since=24h', 'Failures', '/tasks/failures?since=24h'],
    ['/bulk/bulk_none', 'Bulk job', '/tasks/bulk/bulk_none'],
    ['/security/audit?decision=denied', 'Security', '/settings/security/audit?decision=denied'],
    ['/webhooks/new#events', 'New webhook', '/settings/webhooks/new#events'],
  ])('is beside views that moved: %s leads on, with what it asks', async (old, heading, current) => {
    await using opened = await openPage(world.baseUrl, old)
    const { page, faults } = opened
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
    expect(page.url()).toBe(`${world.baseUrl}${current}`)
    await page.goBack()
    expect(page.url()).toBe('about:blank')
    expect(faults).toEqual([])
  })

  it('is led to by `/` from anywhere, with what is typed on the way', async () => {
    await using opened = await openPage(world.baseUrl, '/tasks/overview')
    const { page } = opened
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await typeFast(page, '/Imported c')
    await page.waitForURL((url) => url.searchParams.get('q') === 'Imported c')
    const field = page.getByRole('searchbox')
    expect(await field.inputValue()).toBe('Imported c')
    expect(await page.getByRole('dialog').count()).toBe(0)

    await field.fill('Imported 12')
    await page.getByRole('checkbox', { name: 'Select Imported 12', exact: true }).check()
    await page.getByText('1 selected').waitFor()
    await page.keyboard.press('/')
    await page.getByText('1 selected').waitFor({ state: 'detached' })
    await page.keyboard.type('3')
    await page.waitForURL((url) => url.searchParams.get('q') === 'Imported 123')
  })

  it('says what the service thinks of an address with unknown parts', async () => {
    await using opened = await openPage(world.baseUrl, '/tasks?status=nonsense')
    await opened.page.getByRole('alert').waitFor()
    expect(await opened.page.getByRole('alert').innerText()).toContain('status')
  })

  it(`scrolls through ${ROWS} rows with a screenful of them in the document`, async () => {
    await using opened = await openPage(world.baseUrl, '/tasks?labels=imported')
    const { page, faults } = opened
    await row(page, 'Imported 0').first().waitFor()
    const scroller = page.getByRole('region', { name: 'Tasks' })
    const most = await until(async () => {
      const seen = await scroller.evaluate((element) => {
        element.scrollTop = element.scrollHeight
        return element.querySelectorAll('tbody tr').length
      })
      return (await row(page, `Imported ${ROWS - 1}`).count()) > 0 ? seen : undefined
    })
    expect(most).toBeLessThan(100)
    expect(await table(page).getAttribute('aria-rowcount')).toBe(String(ROWS + 1))
    // Rows render without a request wherever one scrolls.
    for (const part of [0.1, 0.9, 0.5, 0.3]) {
      const rowText = await scroller.evaluate(async (element, at) => {
        element.scrollTop = element.scrollHeight * at
        await new Promise(requestAnimationFrame)
        await new Promise(requestAnimationFrame)
        const { top, left } = element.getBoundingClientRect()
        return document.elementFromPoint(left + 400, top + 300)?.closest('tr')?.innerText ?? ''
      }, part)
      expect(rowText).toContain('Imported')
    }
    expect(faults).toEqual([])
  })

  it('is moved through, selected from and opened by keys', async () => {
    await using opened = await openPage(world.baseUrl, '/tasks?labels=imported')
    const { page } = opened
    await row(page, 'Imported 3').first().waitFor()
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    const seen: unknown[] = []
    for (const key of ['j', 'j', 'j', 'k']) {
      await page.keyboard.press(key)
      await page.evaluate(() => new Promise(requestAnimationFrame))
      seen.push(await focused())
    }
    expect(seen).toEqual(['Imported 0', 'Imported 1', 'Imported 2', 'Imported 1'])
    await page.keyboard.press('x')
    await page.getByText('1 selected').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('1 selected').waitFor({ state: 'detached' })
    // Row 80 is not rendered yet.
    await typeFast(page, `${'j'.repeat(79)}x`)
    await page.getByRole('checkbox', { name: 'Select Imported 80', exact: true, checked: true }).waitFor()
    await page.getByText('1 selected').waitFor()
    await page.waitForFunction(() => document.activeElement?.textContent === 'Imported 80')
    await typeFast(page, `x${'k'.repeat(79)}`)
    await page.getByText('1 selected').waitFor({ state: 'detached' })
    await page.waitForFunction(() => document.activeElement?.textContent === 'Imported 1')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/tasks\/task_import000001$/)
    await page.keyboard.press('g')
    await page.keyboard.press('t')
    await page.waitForURL(/\/tasks$/)
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Search' }).getByRole('combobox').fill('Imported 77')
    await page.getByRole('option', { name: 'Imported 77' }).first().click()
    await page.waitForURL(/\/tasks\/task_import0000?77/)
  })

  it('is sorted by its heads, has the columns that were chosen, and is kept as a view under a name', async () => {
    await using opened = await openPage(world.baseUrl, '/tasks?labels=imported')
    const { page, faults } = opened
    await row(page, 'Imported 0').first().waitFor()
    const head = (name: string) => page.getByRole('columnheader', { name })
    expect(await head('Created').getAttribute('aria-sort')).toBe('descending')
    await head('Task').getByRole('button').click()
    await head('Task').getByRole('button').click()
    await page.waitForURL((url) => url.search === '?labels=imported&sortBy=title&sortOrder=asc')
    await page.getByRole('table').and(page.locator(':has([aria-sort=ascending])')).waitFor()
    await row(page, 'Imported 1000').first().waitFor()

    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('checkbox', { name: 'Ended' }).check()
    await page.getByRole('checkbox', { name: 'Agent' }).uncheck()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Views' }).click()
    const views = page.getByRole('dialog', { name: 'Saved views' })
    await views.getByLabel('Name of the view').fill('By title')
    await views.getByRole('button', { name: 'Save' }).click()
    await page.goto('/tasks')
    await head('Ended').waitFor()
    expect(await head('Agent').count()).toBe(0)
    await page.getByRole('button', { name: 'Views' }).click()
    expect(await violationsIn(page)).toEqual([])
    await views.getByRole('button', { name: 'By title', exact: true }).click()
    await page.waitForURL((url) => url.search === '?labels=imported&sortBy=title&sortOrder=asc')
    await row(page, 'Imported 1000').first().waitFor()
    expect(faults).toEqual([])
  })

  it('says what tasks cost, and on a phone why one failed', async () => {
    const [done, failed] = finishedTasks(2)
    await world.client.importTasks({
      body: {
        version: '1.0',
        tasks: [
          {
            ...done,
            id: 'task_costdone0001',
            title: 'Cheap',
            labels: ['cost'],
            cost: { usd: 0.42, source: 'price' },
          },
          {
            ...failed,
            id: 'task_costfailed01',
            title: 'Dear',
            labels: ['cost'],
            status: 'failed',
            error: { code: 'agent_failed', message: 'the cart is empty' },
            cost: { usd: 3, source: 'unknown' },
          },
        ],
      },
    })
    await using opened = await openPage(world.baseUrl, '/tasks?labels=cost')
    const { page } = opened
    await page.getByRole('columnheader', { name: 'Cost' }).waitFor()
    await row(page, 'Cheap').getByText('$0.42', { exact: true }).filter({ visible: true }).waitFor()
    await row(page, 'Dear').getByText('the cart is empty').waitFor()
    // It leaves a phone, on which the column is away.
    await expectSound(opened)
    await page.getByRole('columnheader', { name: 'Cost' }).waitFor({ state: 'detached' })
    await row(page, 'Cheap').getByText('$0.42', { exact: true }).filter({ visible: true }).waitFor()
    expect(await row(page, 'Dear').innerText()).toMatch(
      /^Failed\s+Dear\s+Agent failed: the cart is empty\s+\$3\.00\+/,
    )
  })

  it('says why a row failed or waits, and shows a priority, attempts and a pull request only where there are such', async () => {
    const [finished] = finishedTasks(1)
    const pullRequest = { number: 7, url: 'https://github.com/acme/web/pull/7' }
    const tasks = [
      {
        ...finished,
        id: 'task_why_failed',
        title: 'Refused',
        labels: ['why'],
        status: 'failed',
        priority: 1,
        attempts: 2,
        maxAttempts: 3,
        repository: 'acme/web',
        branch: 'next',
        error: { code: 'rate_limited', message: 'Too many requests\nat once' },
      },
      {
        ...finished,
        id: 'task_why_done',
        title: 'Taken over',
        labels: ['why'],
        status: 'completed',
        priority: 3,
        attempts: 1,
        maxAttempts: 3,
        result: { success: true, output: 'Done', published: { status: 'published', pullRequest } },
      },
    ]
    await world.client.importTasks({ body: { version: '1.0', tasks } })
    const waits = await world.create({
      title: 'Needs a GPU',
      labels: ['why'],
      runsOn: ['gpu'],
      repository: 'acme/api',
    })
    await using opened = await openPage(world.baseUrl, '/tasks?labels=why')
    const { page } = opened
    const words = async (title: string) => (await row(page, title).innerText()).replaceAll(/\s+/g, ' ')
    await row(page, 'Needs a GPU').getByText('No runner has gpu').waitFor()
    expect(await words('Refused')).toMatch(
      /^Failed Refused Critical 2\/3 acme\/web why Rate limited: Too many requests /,
    )
    expect(await words('Taken over')).not.toMatch(/Normal|1\/3/)
    const link = row(page, 'Taken over').getByRole('link', { name: '#7' })
    expect(await link.getAttribute('href')).toBe(pullRequest.url)
    await expectSound(opened)
    await row(page, 'Refused').getByText('Too many requests').waitFor()
    await page.goto('/tasks?labels=why&branch=next&createdBy=local')
    await row(page, 'Refused').waitFor()
    await page.getByRole('button', { name: /^Filter/ }).click()
    const repository = page.getByLabel('Repository')
    await page
      .locator(`datalist[id="${await repository.getAttribute('list')}"] option[value="acme/api"]`)
      .waitFor({ state: 'attached' })
    await page.keyboard.press('Escape')
    expect(await row(page, 'Taken over').count()).toBe(0)
    await page.goto('/tasks?labels=why&q=too many')
    await row(page, 'Refused').getByText('In error: rate_limited: Too many requests at once').waitFor()
    expect(await row(page, 'Refused').locator('mark').allInnerTexts()).toEqual(['Too', 'many'])
    await page.goto('/tasks?labels=why&q=refused')
    await row(page, 'Refused').getByText('Too many requests').waitFor()
    expect(await row(page, 'Refused').locator('mark').count()).toBe(0)
    await world.client.cancelTask({ params: { id: waits.id } })
  })

  it('says which call waits for a decision, and the place in line without a line of its own', async () => {
    const publish = 'demo: tool run_command {"command":"npm","args":["publish","--access","public"]}'
    const labels = ['line']
    await world.create({
      ...{ title: 'Publish', labels, assignedAgent: 'coding-agent', prompt: `${publish}\ndemo: say Done` },
      metadata: { securityMode: 'ask' },
    })
    await using opened = await openPage(world.baseUrl, '/tasks?labels=line')
    const { page } = opened
    await row(page, 'Publish').getByText('npm publish --access public').waitFor()
    const state = row(page, 'Publish').getByText('Needs approval')
    const amber = await page
      .getByRole('button', { name: 'Queued' })
      .locator('span')
      .first()
      .evaluate((dot) => getComputedStyle(dot).backgroundColor)
    expect(await state.evaluate((word) => getComputedStyle(word).color)).toBe(amber)
    for (let n = 1; n <= 12; n++)
      await world.create({ title: `Long ${n}`, labels, metadata: { runMs: 240_000 } })
    const last = row(page, 'Long 12')
    await last
      .getByText(/^\d+(?:st|nd|rd|th) in line for Moody$/)
      .filter({ visible: true })
      .waitFor()
    expect((await last.boundingBox())?.height).toBe(37)
    expect(await last.innerText()).toMatch(/Moody/)
    await expectSound(opened)
    await last
      .getByText(/in line for Moody$/)
      .filter({ visible: true })
      .waitFor()
    await page.setViewportSize({ width: 1280, height: 800 })
    await row(page, 'Publish').getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Cancel 1' }).waitFor()
    expect(await page.getByRole('button', { name: /^Retry/ }).count()).toBe(0)
    await world.client.bulkTasks({ body: { action: 'cancel', filter: { labels } } })
  })

  it('counts the tasks in each state, and has the chosen one in view on a phone', async () => {
    await using opened = await openPage(world.baseUrl, '/tasks?status=cancelled')
    const { page } = opened
    const toggle = (name: string) => page.getByRole('button', { name, exact: true })
    const { byStatus } = await world.client.taskAnalytics({ query: {} })
    await page.waitForFunction(
      (title) => document.querySelector(`main button[title="${title}"]`)?.textContent?.startsWith('Failed'),
      `${byStatus.failed?.toLocaleString('en-US')} tasks`,
    )
    await page.setViewportSize({ width: 390, height: 844 })
    const box = await toggle('Cancelled').boundingBox()
    expect(box?.x).toBeLessThan((await toggle('Failed').boundingBox())?.x ?? 0)
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThan(390)
    await page.goto('/tasks?labels=imported&status=failed')
    await row(page, 'Imported').first().waitFor()
    expect(await toggle('Failed').getAttribute('title')).toBeNull()
  })

  it('retries and cancels by the keys of the task page, one row or what is selected; a cancel can be undone', async () => {
    const { id } = await world.create({ title: 'Keyed', labels: ['keyed'], metadata: { runMs: 240_000 } })
    await using opened = await openPage(world.baseUrl, '/tasks?labels=keyed')
    const { page, faults } = opened
    const one = row(page, 'Keyed').first()
    await one.getByText('Running').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Backspace')
    await one.getByText('Cancelling').waitFor()
    await page.keyboard.press('z')
    await one.getByText('Running').waitFor()
    await page.getByText('Cancelling “Keyed” in 5 seconds').waitFor({ state: 'detached' })
    expect((await world.task(id)).status).toBe('in_progress')
    // The second key of a sequence is no key of its own.
    await typeFast(page, 'gr')
    await page.keyboard.press('Backspace')
    await one.getByText('Cancelled').waitFor()
    expect((await world.client.filterTasks({ query: { labels: ['keyed'] } })).total).toBe(1)
    // A retry that is under way is the only one.
    await typeFast(page, 'rr')
    await page.getByText('Retried as a new task').waitFor()
    await page.getByRole('row').filter({ hasText: 'Running' }).waitFor()
    expect((await world.client.filterTasks({ query: { labels: ['keyed'] } })).total).toBe(2)
    expect(await page.getByText('Not retried').count()).toBe(0)
    await typeFast(page, 'k')
    // Held down, a key acts once.
    for (let times = 0; times < 2; times += 1) await page.keyboard.down('x')
    await page.keyboard.up('x')
    await page.getByText('1 selected').waitFor()
    await page.keyboard.press('Backspace')
    await page
      .getByRole('dialog', { name: 'Cancel 1 task?' })
      .getByRole('button', { name: 'Cancel 1' })
      .click()
    await page.getByRole('row').filter({ hasText: 'Running' }).waitFor({ state: 'detached' })
    expect(faults).toEqual([])
  })

  it('selects ranges with Shift, peeks with Space, and is found by Back as it was left', async () => {
    await using opened = await openPage(world.baseUrl, '/tasks?labels=imported')
    const { page, faults } = opened
    await row(page, 'Imported 3').first().waitFor()
    const box = (n: number) => page.getByRole('checkbox', { name: `Select Imported ${n}`, exact: true })
    await box(2).click()
    await box(6).click({ modifiers: ['Shift'] })
    await page.getByText('5 selected').waitFor()
    await box(4).click()
    await page.getByText('4 selected').waitFor()

    const scroller = page.getByRole('region', { name: 'Tasks' })
    await scroller.evaluate((element) => element.scrollTo(0, 37 * 60))
    await page.getByRole('link', { name: 'Imported 65', exact: true }).click()
    await page.getByRole('heading', { name: 'Imported 65', level: 1 }).waitFor()
    await page.goBack()
    await page.getByText('4 selected').waitFor()
    await page.getByRole('link', { name: 'Imported 65', exact: true }).waitFor()
    expect(await scroller.evaluate(({ scrollTop }) => scrollTop)).toBe(37 * 60)
    // A link starts at the top without a selection.
    await page.getByRole('link', { name: 'Memory', exact: true }).click()
    await page.getByRole('heading', { name: 'Memory', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'Tasks', exact: true }).click()
    await row(page, 'Imported 3').first().waitFor()
    expect(await page.getByText('4 selected').count()).toBe(0)

    await page.goto('/tasks?labels=imported')
    await row(page, 'Imported 3').first().waitFor()
    await typeFast(page, 'jj')
    await page.keyboard.press('Space')
    const peek = (name: string) => page.getByRole('dialog', { name, exact: true })
    await peek('Imported 1').waitFor()
    expect(await violationsIn(page)).toEqual([])
    await page.keyboard.press('j')
    await peek('Imported 2').waitFor()
    await page.keyboard.press('Space')
    await peek('Imported 2').waitFor({ state: 'detached' })
    await page.keyboard.press('Space')
    await peek('Imported 1').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Imported 1', level: 1 }).waitFor()
    await page.goBack()
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('link', { name: 'Imported 3', exact: true }).waitFor()
    expect(faults).toEqual([])
  })

  it('shows in the palette no task of words that are no longer there', async () => {
    await using opened = await openPage(world.baseUrl, '/tasks')
    const { page } = opened
    await table(page).waitFor()
    await page.route(/q=Imported\+78/, () => undefined)
    await page.keyboard.press('Control+k')
    const words = page.getByRole('dialog', { name: 'Search' }).getByRole('combobox')
    await words.fill('Imported 7')
    await page.getByRole('option', { name: 'Imported 7' }).first().waitFor()
    const asked = page.waitForRequest(/q=Imported\+78/)
    await words.fill('Imported 78')
    await page.getByText('Searching…', { exact: true }).waitFor()
    await asked
    expect(await page.getByRole('option').count()).toBe(0)
  })

  it('has a palette that finds conversations, settings and docs as well, and acts on the row with the focus', async () => {
    const { id } = (await world.client.createConversation({ body: { title: 'About leases' } })).conversation
    const task = await world.create({ title: 'In focus', labels: ['focus'], metadata: { runMs: 240_000 } })
    await using opened = await openPage(world.baseUrl, '/tasks?labels=focus')
    const { page } = opened
    const palette = page.getByRole('dialog', { name: 'Search' })
    const options = palette.getByRole('option')
    await row(page, 'In focus').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Control+k')
    await palette.getByRole('combobox').fill('LEASES about')
    await options.filter({ hasText: 'About leases' }).waitFor()
    expect(await options.locator('mark').allInnerTexts()).toEqual(expect.arrayContaining(['About', 'leases']))
    await palette.getByRole('combobox').fill('inconsistent copy')
    await options.filter({ hasText: 'Backup and restore' }).getByText('an inconsistent').waitFor()
    await palette.getByRole('combobox').fill(id)
    await palette.getByText('No results').waitFor()
    await palette.getByRole('combobox').fill('qr')
    await options.filter({ hasText: 'Devices' }).first().waitFor()
    await palette.getByRole('combobox').fill(task.id.slice(0, 20).toLowerCase())
    await options.filter({ hasText: 'In focus' }).getByText('In ID: ').waitFor()
    await palette.getByRole('combobox').fill('')
    await palette.getByRole('option', { name: 'Cancel', exact: true }).waitFor()
    await expectSound(opened)
    await palette.getByRole('combobox').fill('cancel')
    await page.keyboard.press('Enter')
    await page.getByText('Cancelling “In focus” in 5 seconds').waitFor()
  })

  it('has a palette with the titles that have the words first, then other texts, and an end that has all', async () => {
    const found = (n: number, more: object) => ({ ...finishedTasks(1)[0], id: `task_striped${n}`, ...more })
    const tasks = [
      // The oldest.
      found(0, { title: 'Zebra in the title', createdAt: '2025-12-01T00:00:00.000Z' }),
      ...Array.from({ length: 9 }, (_, n) =>
        found(n + 1, { title: `Other ${n}`, prompt: 'Draw a zebra here' }),
      ),
    ]
    await world.client.importTasks({ body: { version: '1.0', tasks } })
    await using opened = await openPage(world.baseUrl, '/tasks/overview')
    const { page } = opened
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Search' })
    const places = palette.getByRole('group', { name: 'Go to' }).getByRole('option')
    await places.nth(6).waitFor()
    expect(await places.allInnerTexts()).toHaveLength(7)
    await palette.getByRole('combobox').fill('zebra')
    const hits = palette.getByRole('group', { name: 'Tasks' }).getByRole('option')
    await hits.nth(7).waitFor()
    const texts = (await hits.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '))
    expect(texts[0]).toMatch(/^Zebra in the title/)
    expect(texts[1]).toMatch(/^Other \d In prompt: Draw a zebra here/)
    expect(await hits.nth(1).locator('mark').allInnerTexts()).toEqual(['zebra'])
    await palette.getByRole('option', { name: 'All 10 in Tasks' }).click()
    await page.waitForURL('**/tasks?q=zebra')
  })

  it('cancels and retries many at once, and lists what was refused', async () => {
    const titles = ['Bulk 1', 'Bulk 2', 'Bulk 3']
    const made = await Promise.all(
      titles.map((title) => world.create({ title, labels: ['bulk'], metadata: { runMs: 120_000 } })),
    )
    await using opened = await openPage(world.baseUrl, '/tasks?labels=bulk')
    const { page } = opened
    await row(page, 'Bulk 3').waitFor()
    await page.getByRole('checkbox', { name: 'Select all loaded' }).check()
    // Another client cancels one of them first.
    const [first] = made
    await page.route('**/api/tasks/bulk', async (route) => {
      if (route.request().postDataJSON().dryRun === false)
        await world.client.cancelTask({ params: { id: first?.id ?? '' } }).catch(() => undefined)
      await route.continue()
    })
    const cancel = page.getByRole('button', { name: 'Cancel 3' })
    const question = page.getByRole('dialog', { name: 'Cancel 3 tasks?' })
    await cancel.click()
    await question.getByRole('button', { name: 'Keep' }).click()
    await question.waitFor({ state: 'detached' })
    const { tasks } = await world.client.filterTasks({ query: { labels: 'bulk' } })
    expect(tasks.map(({ status }) => status)).not.toContain('cancelled')
    await cancel.click()
    await question.getByRole('button', { name: 'Cancel 3' }).click()
    const dialog = page.getByRole('dialog', { name: 'Cancel tasks' })
    await dialog.getByText('2 of 3 cancelled').waitFor()
    expect(await dialog.getByRole('list', { name: 'What failed' }).innerText()).toContain(
      first?.title ?? 'none',
    )
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('checkbox', { name: 'Select all loaded' }).check()
    await page.getByRole('button', { name: 'Retry 3' }).click()
    const asked = page.getByRole('dialog', { name: 'Retry 3 tasks?' })
    await asked.getByText('costs tokens again').waitFor()
    await asked.getByRole('button', { name: 'Retry 3' }).click()
    await page
      .getByRole('dialog', { name: 'Retry tasks' })
      .getByText('0 completed, 3 still running')
      .waitFor()
    const { total } = await world.client.filterTasks({ query: { labels: 'bulk' } })
    expect(total).toBe(6)
    await world.client.bulkTasks({ body: { action: 'cancel', ids: [first?.id ?? ''] } })
    await page.goto('/tasks/bulk')
    const jobs = page.getByRole('list', { name: 'Bulk jobs' })
    await jobs.getByText('Failed', { exact: true }).waitFor()
    await jobs.getByText('Partly failed', { exact: true }).click()
    const failed = page.getByRole('list', { name: 'What failed' }).getByRole('link', { name: 'Bulk 1' })
    expect(await failed.getAttribute('href')).toBe(`/tasks/${first?.id}`)
  })

  it('cancels all that the filters have as a job, which has an address of its own', async () => {
    const titles = ['Every 1', 'Every 2', 'Every 3']
    for (const title of titles) await world.create({ title, labels: ['every'], metadata: { runMs: 120_000 } })
    await using opened = await openPage(world.baseUrl, '/tasks?labels=every&status=queued,in_progress,failed')
    const { page } = opened
    await row(page, 'Every 3').getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Select all 3 that match' }).click()
    await page.getByRole('button', { name: 'Cancel all' }).click()
    const asked = page.getByRole('dialog', { name: 'Cancel 3 tasks?' })
    expect(await asked.getByRole('list', { name: 'Some of these' }).innerText()).toMatch(/Every 3\s+Every 2/)
    await asked.getByRole('button', { name: 'Cancel 3' }).click()
    const dialog = page.getByRole('dialog', { name: 'Cancel tasks' })
    await dialog.getByText('3 of 3 cancelled').waitFor()
    await dialog.getByRole('link', { name: 'Open the job' }).click()
    await page.waitForURL('**/tasks/bulk/bulk_*')
    await page.getByRole('heading', { name: 'Cancel 3 tasks' }).waitFor()
    await page.getByText('3 of 3 cancelled').waitFor()
    await page.getByText(/^Started .* by Local admin, ended/).waitFor()
    await expectSound(opened)
    const { tasks } = await world.client.filterTasks({ query: { labels: 'every' } })
    expect(tasks.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled'])
  })

  it('stops a job from its address', async () => {
    const ids = Array.from({ length: 10_000 }, (_, n) => `task_${n}`)
    const started = await world.client.bulkTasks({ body: { action: 'retry', ids } })
    const job = 'job' in started ? started.job : undefined
    await using opened = await openPage(world.baseUrl, `/tasks/bulk/${job?.id}`)
    const { page } = opened
    await page.getByRole('button', { name: 'Cancel job' }).click()
    await page.getByText(/Cancelled: 0 of 10,000 retried/).waitFor()
    const { job: now } = await world.client.getBulk({ params: { id: job?.id ?? '' } })
    expect(now.status).toBe('cancelled')
  })

  it('takes an export back in, and says what became of it', async () => {
    await using opened = await openPage(world.baseUrl, '/tasks')
    const { page } = opened
    await page.getByRole('button', { name: 'Export and import' }).click()
    const link = page.getByRole('link', { name: 'Export all tasks' })
    expect(await link.getAttribute('href')).toBe('/api/tasks/export')
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Import tasks' }).click(),
    ])
    const [known, ...rest] = finishedTasks(1)
    const tasks = [known, { ...known, id: 'task_new', title: 'Came in' }, { title: '' }, ...rest]
    const buffer = Buffer.from(JSON.stringify({ version: '1.0', tasks }))
    await chooser.setFiles({ name: 'tasks.json', mimeType: 'application/json', buffer })
    const dialog = page.getByRole('dialog', { name: 'Import' })
    await dialog.getByText('1 imported, 1 already existed, 1 rejected').waitFor()
    expect(await dialog.getByRole('list', { name: 'Errors' }).innerText()).toContain('entry 3')
  })
})

inBrowser('the days of the list', () => {
  it('are those of the zone that times are written in, and are counted only where all tasks are listed', async () => {
    const DAY_MS = 86_400_000
    const now = Date.now()
    const dayBefore = (daysAgo: number) => new Date(now - daysAgo * DAY_MS).toISOString().slice(0, 10)
    const tasks = [2, 3].map((daysAgo) => ({
      ...finishedTasks(1)[0],
      id: `task_days${daysAgo}`,
      title: `Of ${daysAgo} days ago`,
      createdAt: `${dayBefore(daysAgo)}T00:00:00.000Z`,
    }))
    await world.client.importTasks({ body: { version: '1.0', tasks } })
    const newYork = { timezoneId: 'America/New_York' }
    await using opened = await openPage(world.baseUrl, '/tasks?createdBefore=2025-12-31', newYork)
    const { page } = opened
    const countUntil = async (createdBefore: string) =>
      (await world.client.filterTasks({ query: { createdBefore, limit: 1 } })).total
    const until5 = await countUntil('2026-01-01T04:59:59.999Z')
    // One task per minute after midnight UTC.
    expect(until5).toBeGreaterThan(await countUntil('2025-12-31'))
    await page.getByRole('main').getByText(`${until5} tasks`, { exact: true }).first().waitFor()
    const bars = page.getByRole('list', { name: 'Tasks created, by day' })
    await bars.getByRole('link', { name: `${dayBefore(3)} (UTC): 1 created` }).click()
    await row(page, 'Of 3 days ago').waitFor()
    expect(await row(page, 'Of 2 days ago').count()).toBe(0)
    expect(await bars.count()).toBe(1)
    await page.getByRole('button', { name: 'Failed', exact: true }).click()
    await bars.waitFor({ state: 'detached' })
  })
})
