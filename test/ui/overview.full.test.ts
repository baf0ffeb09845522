import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { finishedTasks } from '../fixtures/finished-tasks.ts'
import { until } from '../journeys/api.ts'
import { closeBrowser, hasBrowser, openPage } from './browser.ts'
import { inBrowser } from './in-browser.ts'
import { expectSound } from './sound.ts'
import { startWorld, type World } from './world.ts'

const HOUR_MS = 3_600_000
const HELD_MS = 2_000
const ago = (ms: number) => new Date(Date.now() - ms).toISOString()

const recentTasks = (count: number, ranMs: number) =>
  finishedTasks(count).map((task, n) => ({
    ...task,
    id: `task_recent${String(n).padStart(6, '0')}`,
    title: `Recent ${n}`,
    status: 'completed',
    createdAt: ago(HOUR_MS + ranMs + n * 1_000),
    queuedAt: ago(HOUR_MS + ranMs + n * 1_000),
    startedAt: ago(HOUR_MS + ranMs),
    completedAt: ago(HOUR_MS),
    updatedAt: ago(HOUR_MS),
  }))

let world: World
beforeAll(async () => {
  if (!hasBrowser) return
  world = await startWorld()
  await world.client.importTasks({ body: { version: '1.0', tasks: recentTasks(12, 2_000) } })
})
afterAll(async () => {
  await closeBrowser()
  await world?.stop()
})

inBrowser('the overview', () => {
  it('of a new service shows the first steps, and ticks those that the service says are done', async () => {
    await using fresh = await startWorld()
    await using opened = await openPage(fresh.baseUrl, '/tasks/overview', { colorScheme: 'light' })
    const { page } = opened
    const steps = page.getByRole('region', { name: 'First steps' })
    const isDone = (title: string) => steps.getByText(`${title}: done`).waitFor()
    await steps.getByText('0 of 4').waitFor()
    await expectSound(opened)

    await steps.getByRole('link', { name: 'API tokens' }).click()
    await page.getByRole('heading', { name: 'API tokens', level: 1 }).waitFor()
    await fresh.client.createToken({ body: { name: 'CI', scopes: ['gateway'] } })
    await fresh.perform({ title: 'The first', repository: 'acme/web', metadata: { failures: 9 } })
    await page.goto('/tasks/overview')
    for (const title of ['Create a task', 'Work on a repository', 'Use the API']) await isDone(title)
    await steps.getByText('3 of 4').waitFor()
    await steps.getByRole('button', { name: 'Hide first steps' }).click()
    await steps.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByText('Success rate').waitFor()
    expect(await steps.count()).toBe(0)
  })

  it('is asked for before what is opened over it, which is loaded ahead', async () => {
    await using opened = await openPage(world.baseUrl, '/theme.js')
    const { page } = opened
    const seen: string[] = []
    await page.route(/api\/tasks\/analytics/, async (route) => {
      const response = await route.fetch()
      await sleep(HELD_MS)
      seen.push('figures')
      await route.fulfill({ response })
    })
    page.on('request', (request) => {
      const [part] = /palette|create-task|popover-panel/.exec(request.url()) ?? []
      if (part) seen.push(part)
    })
    await page.goto('/tasks/overview')
    await until(() => (seen.some((part) => part !== 'figures') ? true : undefined))
    expect(seen[0]).toBe('figures')
  })

  it('shows what runs before what waits, and calls stuck what runs twice as long as is usual', async () => {
    const { id } = await world.create({ title: 'Takes long', metadata: { runMs: 240_000 } })
    await using opened = await openPage(world.baseUrl, '/tasks/overview', { colorScheme: 'light' })
    const { page } = opened
    const running = page.getByRole('region', { name: 'Running' }).getByRole('listitem')
    await running
      .filter({ hasText: 'Takes long' })
      .filter({ hasText: /p95 (1\.9|2|2\.1)s/ })
      .waitFor()
    await running.getByText('Stuck').waitFor()
    await expectSound(opened)
    await page.setViewportSize({ width: 1280, height: 800 })

    await world.client.cancelTask({ params: { id } })
    await running.first().waitFor({ state: 'detached' })
    expect(opened.faults).toEqual([])
  })

  it('sums what tasks cost: in the month, by day, agent, repository and user', async () => {
    await using fresh = await startWorld()
    await using opened = await openPage(fresh.baseUrl, '/tasks/overview')
    const { page } = opened
    await page.getByText('No running or queued tasks').waitFor()
    const costs = page.getByRole('region', { name: 'Cost', exact: true })
    expect(await costs.count()).toBe(0)
    const [cheap, dear] = recentTasks(2, 1_000)
    await fresh.client.importTasks({
      body: {
        version: '1.0',
        tasks: [
          { ...cheap, repository: 'acme/web', completedAt: ago(0), cost: { usd: 0.5, source: 'price' } },
          { ...dear, repository: 'acme/pay', completedAt: ago(0), cost: { usd: 2, source: 'unknown' } },
        ],
      },
    })
    await page.reload()
    await costs.waitFor()
    expect(await costs.innerText()).toMatch(
      /Last 7 days\s+\$2\.50\s+This month\s+\$2\.50\s+In all\s+\$2\.50\s+Tasks of unknown cost\s+1/,
    )
    const repositories = costs.getByRole('region', { name: 'Cost by repositories' }).getByRole('listitem')
    expect(await repositories.allInnerTexts()).toEqual([
      expect.stringMatching(/acme\/pay\s+\$2\.00/),
      expect.stringMatching(/acme\/web\s+\$0\.50/),
    ])
    await costs.getByRole('region', { name: 'Cost by users' }).getByText('Local admin').waitFor()
    await expectSound(opened)
  })

  it('counts by the parts of a window, and leads from a bar to the tasks that ended then', async () => {
    await world.perform({ title: 'Fails', metadata: { failures: 9 } })
    await using opened = await openPage(world.baseUrl, '/?window=7d', { timezoneId: 'Asia/Kathmandu' })
    const { page } = opened
    const bars = page.getByRole('list', { name: 'Tasks by day' })
    await bars.waitFor()
    expect(await bars.getByRole('link').count()).toBe(7)
    expect(await bars.getByRole('link').last().getAttribute('aria-label')).toMatch(/^\w+ \w+: \d+ created/)
    await page.getByRole('link', { name: '24h' }).click()
    const hours = page.getByRole('list', { name: 'Tasks by hour' })
    await hours.waitFor()
    expect(await hours.getByRole('link').count()).toBe(24)
    await page.getByRole('table').filter({ hasText: 'Wait p50' }).waitFor()
    await page.getByRole('region', { name: 'Failures' }).getByText(/Moody/).first().waitFor()

    // Roving tabindex.
    await hours.getByRole('link').last().focus()
    await page.keyboard.press('ArrowLeft')
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')
    while (!(await focused()).includes('12 completed')) await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    await page.getByRole('table', { name: 'Tasks' }).getByText('Recent 0').waitFor()
    const address = new URL(page.url()).searchParams
    expect(
      Date.parse(address.get('completedBefore') ?? '') - Date.parse(address.get('completedAfter') ?? ''),
    ).toBe(HOUR_MS - 1)
    expect(await page.getByRole('row').filter({ hasText: 'Recent' }).count()).toBe(12)
    expect(opened.faults).toEqual([])
  })
})

inBrowser('the first page', () => {
  let fresh: World
  beforeAll(async () => {
    fresh = await startWorld()
  })
  afterAll(() => fresh?.stop())

  it.each([
    ['light', 'Change a file', 'cart.js'],
    ['dark', 'Think, step by step', 'notes.md'],
  ] as const)(
    'runs in the %s theme the sample "%s" by one click, to a result that is true',
    async (colorScheme, name, file) => {
      await using opened = await openPage(fresh.baseUrl, '/', { colorScheme })
      const { page } = opened
      const samples = page.getByRole('region', { name: 'Sample tasks' })
      await samples.getByText('demo model (not an AI)').waitFor()
      await expectSound(opened)
      await samples.getByRole('button', { name }).click()
      await page.waitForURL(/\/tasks\/task_\w+$/)
      const id = page.url().replace(/.*\//, '')
      const task = await fresh.untilTask(id, 'completed', 'failed')
      expect(task).toMatchObject({
        status: 'completed',
        agent: 'coding-agent',
        labels: ['sample'],
        title: expect.stringMatching(/^Sample: /),
        prompt: expect.stringContaining('The scripted demo model (not an AI)'),
        result: {
          filesChanged: [expect.objectContaining({ path: file })],
          output: expect.stringContaining(file),
        },
      })
      await page.getByText('Completed', { exact: true }).first().waitFor()
    },
  )

  it('runs the sample that asks first, which waits for its user and then writes', async () => {
    await using opened = await openPage(fresh.baseUrl, '/')
    const { page } = opened
    await page.getByRole('button', { name: 'Ask before acting' }).click()
    await page.waitForURL(/\/tasks\/task_\w+$/)
    const id = page.url().replace(/.*\//, '')
    await page.getByRole('button', { name: 'Allow once' }).click()
    expect(await fresh.untilTask(id, 'completed', 'failed')).toMatchObject({
      status: 'completed',
      result: { filesChanged: [expect.objectContaining({ path: 'RELEASE.md' })] },
    })
  })

  it('offers no samples once a task of its own was run', async () => {
    await fresh.perform({ title: 'Of its own' })
    await using opened = await openPage(fresh.baseUrl, '/')
    await opened.page.getByRole('radio', { name: 'Coding agent' }).waitFor()
    await opened.page.waitForLoadState('networkidle')
    expect(await opened.page.getByRole('region', { name: 'Sample tasks' }).count()).toBe(0)
  })

  it('offers the repositories and branches of earlier tasks, keeps its draft over a reload, and needs one prompt and one click', async () => {
    await world.perform({ title: 'Earlier', repository: 'acme/shop', branch: 'next' })
    await using opened = await openPage(world.baseUrl, '/')
    const { page } = opened
    const repository = page.getByRole('combobox', { name: 'Repository' })
    await page.getByRole('button', { name: 'acme/shop' }).click()
    expect(await repository.inputValue()).toBe('acme/shop')
    const branches = page.locator('label').filter({ has: page.getByRole('combobox', { name: 'Branch' }) })
    await branches.locator('option[value=next]').waitFor({ state: 'attached' })
    await page.getByLabel('Prompt').fill('Kept over a reload')
    await page.reload()
    expect(await repository.inputValue()).toBe('acme/shop')
    expect(await page.getByLabel('Prompt').inputValue()).toBe('Kept over a reload')
    expect(await page.getByText('Not sent yet').count()).toBe(0)
    await page.getByLabel('Prompt').press('Control+Enter')
    await page.getByRole('heading', { name: 'Kept over a reload' }).waitFor()
    const { task } = await world.client.getTask({ params: { id: page.url().replace(/.*\//, '') } })
    expect(task).toMatchObject({ repository: 'acme/shop', agent: 'moody', priority: 3 })

    await page.goto('/')
    expect(await page.getByLabel('Prompt').inputValue()).toBe('')
    await page.getByLabel('Prompt').fill('One click')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('heading', { name: 'One click' }).waitFor()
  })

  it('makes a schedule of a task that repeats, and names at the field what the service refuses', async () => {
    await using opened = await openPage(world.baseUrl, '/')
    const { page } = opened
    await page.getByLabel('Prompt').fill('Update the packages')
    await page.getByText('More', { exact: true }).click()
    await page.getByLabel('Repeat').fill('99 * * * *')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.locator('label').filter({ hasText: 'Repeat' }).locator('.text-destructive').waitFor()
    await page.getByLabel('Repeat').fill('0 9 * * MON')
    // A key that is pressed again while the form is sent makes no second one. Its answer is lost.
    await page.route('**/api/schedules', async (route) => {
      await page.getByLabel('Repeat').press('Control+Enter')
      await route.fetch()
      await route.abort()
    })
    await page.getByLabel('Repeat').press('Control+Enter')
    await page.getByText('check the list of schedules before you send it again').waitFor()
    await page.unroute('**/api/schedules')
    const [made, ...more] = (await world.client.listSchedules()).schedules
    expect(more).toEqual([])
    await world.client.deleteSchedule({ params: { id: made?.id ?? '' } })
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.waitForURL('**/schedules')
    await page.getByText('Update the packages').first().waitFor()
    const { schedules } = await world.client.listSchedules()
    expect(schedules).toMatchObject([{ name: 'Update the packages', cron: '0 9 * * MON' }])
  })

  it('says in short what runs and what needs its user, and leaves its key to the prompt', async () => {
    const running = await world.create({ title: 'Runs for long', metadata: { runMs: 240_000 } })
    await using opened = await openPage(world.baseUrl, '/')
    const { page } = opened
    const now = page.getByRole('region', { name: 'Now' })
    await now.getByRole('link', { name: /Runs for long/ }).waitFor()
    expect(await now.getByRole('listitem').count()).toBeLessThanOrEqual(5)
    await page.getByRole('heading', { name: 'What should an agent do?' }).click()
    await page.getByLabel('Prompt').press('Escape')
    await page.keyboard.press('c')
    expect(await page.getByLabel('Prompt').evaluate((field) => field === document.activeElement)).toBe(true)
    expect(await page.getByRole('dialog').count()).toBe(0)
    await world.client.cancelTask({ params: { id: running.id } })
    await now.getByRole('link', { name: /Runs for long/ }).waitFor({ state: 'detached' })
  })
})
