import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { finishedTasks } from '../fixtures/finished-tasks.ts'
import { closeBrowser, hasBrowser, openPage } from './browser.ts'
import { inBrowser } from './in-browser.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  if (hasBrowser) world = await startWorld()
})
afterAll(async () => {
  await closeBrowser()
  await world?.stop()
})

inBrowser('a visitor who opens the page', () => {
  it('creates a task, watches it run and reads its result', async () => {
    await using opened = await openPage(world.baseUrl, '/')
    const { page, faults } = opened
    await page.getByRole('heading', { name: 'What should an agent do?' }).waitFor()
    // The prompt has the focus, and its first line becomes the title.
    await page.keyboard.insertText('Write <b>a</b> note\nIt is about this workspace.')
    await page.locator('label', { hasText: 'Coding agent' }).click()
    await page.getByText('More', { exact: true }).click()
    await page.getByPlaceholder('Write <b>a</b> note', { exact: true }).waitFor()
    await page.getByLabel('Labels').fill('docs, notes')
    await page.getByRole('button', { name: 'Create', exact: true }).click()

    await page.waitForURL(/\/tasks\/task_\w+$/)
    await page.getByRole('heading', { name: 'Write <b>a</b> note' }).waitFor()
    await page.getByText('Completed', { exact: true }).first().waitFor()
    await page.getByRole('region', { name: 'Result' }).getByText('not an AI').first().waitFor()
    const run = page.getByRole('region', { name: 'Run', exact: true })
    await run.getByText('write_file demo-notes.md', { exact: true }).waitFor({ state: 'attached' })
    // A finished run is collapsed.
    const folded = run.locator('details:not([open]) > summary', { hasText: /^Step/ })
    while ((await folded.count()) > 0) await folded.first().click()
    await run.getByText('write_file demo-notes.md', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Changes', exact: true }).click()
    await page.getByRole('group', { name: 'Changes of demo-notes.md' }).waitFor()
    await page.getByRole('link', { name: 'Log', exact: true }).click()
    const log = page.getByRole('list', { name: 'Events' })
    await log.getByText('completed', { exact: true }).waitFor()
    const events = await log.innerText()
    expect(events.replaceAll(/\s+/g, ' ')).toMatch(
      /created .* queued .* started .* Step 1 of 25 .* completed/,
    )
    await page.keyboard.press('t')
    expect(await page.getByRole('figure', { name: 'Timeline' }).innerText()).toContain('Attempt 1')
    await page.keyboard.press('t')
    await page.getByRole('figure', { name: 'Timeline' }).waitFor({ state: 'detached' })
    await page.getByLabel('Summary').getByText('notes', { exact: true }).waitFor()
    expect(faults).toEqual([])
  })

  it('sees a task fail attempt by attempt, why it did, and retries it', async () => {
    const { id } = await world.create({ title: 'Moody', metadata: { failures: 9, runMs: 50 } })
    await using opened = await openPage(world.baseUrl, `/tasks/${id}`)
    const { page } = opened
    await page
      .getByRole('region', { name: 'Why it failed' })
      .getByText('not in the mood for attempt 3')
      .waitFor()
    expect((await page.getByRole('main').innerText()).match(/not in the mood for attempt 3/g)).toHaveLength(1)
    await page.getByRole('link', { name: 'Trace' }).click()
    const timeline = page.getByRole('figure', { name: 'Timeline' })
    // The log is refetched after the task.
    await timeline.getByText('Attempt 3: failed').waitFor()
    expect((await timeline.innerText()).match(/Attempt \d|Backoff/g)).toEqual([
      ...['Attempt 1', 'Backoff', 'Attempt 2', 'Backoff', 'Attempt 3'],
    ])
    await page.keyboard.press('Escape')
    await page
      .getByRole('link', { name: /^Inbox \d+ open$/ })
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('link', { name: id }).waitFor()
    expect(page.url()).not.toContain(id)
  })

  it('finds a task by a word of its error with ⌘K and Enter, and replies to it and retries it the same way', async () => {
    const id = 'task_flux'
    const error = { code: 'agent_error', message: 'The flux capacitor overheats' }
    const tasks = [{ ...finishedTasks(1)[0], id, title: 'Nightly import', status: 'failed', error }]
    await world.client.importTasks({ body: { version: '1.0', tasks } })
    await using opened = await openPage(world.baseUrl, '/tasks/overview')
    const { page, faults } = opened
    const ask = async (text: string, option: string | RegExp) => {
      await page.keyboard.press('Control+k')
      const palette = page.getByRole('dialog', { name: 'Search' })
      await palette.getByRole('combobox').waitFor()
      await page.keyboard.type(text)
      await palette.getByRole('option', { name: option, selected: true }).waitFor()
      await page.keyboard.press('Enter')
      await palette.waitFor({ state: 'detached' })
    }
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await ask(
      'flux overheats',
      /^Nightly import\s*In error: agent_error: The flux capacitor overheats\s*Failed$/,
    )
    await page.waitForURL(`${world.baseUrl}/tasks/${id}`)
    await page.getByRole('heading', { name: 'Nightly import' }).waitFor()
    await ask('reply', 'Reply')
    await page.locator('textarea[aria-label=Reply]:focus').waitFor()
    await ask('run', 'Retry')
    await page.getByText('Retried as a new task').waitFor()
    await page.getByRole('link', { name: id }).waitFor()
    await ask('create token', 'Create token')
    await page.waitForURL(`${world.baseUrl}/settings/tokens?token=new`)
    await page.locator('input[name=name]:focus').waitFor()
    expect(faults).toEqual([])
  })

  it('cancels a task that runs, once there was time to undo that', async () => {
    const { id } = await world.create({ title: 'Long', metadata: { runMs: 120_000 } })
    await using opened = await openPage(world.baseUrl, '/theme.js')
    const { page } = opened
    await page.clock.install()
    await page.goto(`/tasks/${id}`)
    await page.getByText('Running', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Cancelling “Long” in 5 seconds').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Cancel', exact: true }).waitFor()
    expect((await world.task(id)).status).toBe('in_progress')
    await page.keyboard.press('Backspace')
    await page.getByRole('button', { name: 'Cancelling…' }).waitFor()
    expect((await world.task(id)).status).toBe('in_progress')
    await page.clock.fastForward(5_000)
    await page.getByText('Cancelled', { exact: true }).first().waitFor()
    expect((await world.task(id)).status).toBe('cancelled')
  })
})

inBrowser('the connection', () => {
  it('that is lost is said to be, and the page catches up when it is back', async () => {
    await using opened = await openPage(world.baseUrl, '/tasks')
    const { page, context } = opened
    await page.getByRole('table', { name: 'Tasks' }).waitFor()
    await context.setOffline(true)
    await page.getByText('Connection to the service lost.').waitFor()
    const { title } = await world.create({ title: 'Made meanwhile' })
    await context.setOffline(false)
    await page.getByRole('link', { name: title }).waitFor()
    await page.getByText('Connection to the service lost.').waitFor({ state: 'detached' })
    expect(await page.getByRole('status').filter({ hasText: 'lost' }).count()).toBe(0)
  })
})
