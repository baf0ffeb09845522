import { execFile } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { Page, Route } from 'playwright-core'
import { finishedTasks } from '../fixtures/finished-tasks.ts'
import { until } from '../journeys/api.ts'
import { root, temporaryFolder } from '../journeys/service.ts'
import { violationsIn } from './axe.ts'
import { closeBrowser, hasBrowser, openPage } from './browser.ts'
import { inBrowser } from './in-browser.ts'
import { expectSound } from './sound.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  if (!hasBrowser) return
  world = await startWorld()
  await world.client.importTasks({ body: { version: '1.0', tasks: finishedTasks(4) } })
})
afterAll(async () => {
  await closeBrowser()
  await world?.stop()
})

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()
/** `Attempt 2 of 3` */
const fact = (page: Page, name: string) =>
  page.getByLabel('Summary').locator('div', { hasText: name }).first()

inBrowser('the head of a task', () => {
  it('measures with the clock of the server, and has who made it by name and its id to copy', async () => {
    const { id } = await world.create({ title: 'Timed', metadata: { runMs: 120_000 } })
    await using opened = await openPage(world.baseUrl, '/theme.js')
    const { page } = opened
    await page.addInitScript(() => {
      const { now } = Date
      Date.now = () => now() + 3 * 3_600_000
    })
    await page.goto(`/tasks/${id}`)
    await fact(page, 'Running').waitFor()
    expect(await fact(page, 'Running').innerText()).toMatch(/^Running\s+[\d.]+m?s$/)
    expect(await fact(page, 'Created').innerText()).not.toMatch(/h ago|in /)
    expect(await fact(page, 'Agent').innerText()).toMatch(/Moody/)
    // The first attempt is no exception.
    expect(await page.getByLabel('Summary').getByText('Attempt').count()).toBe(0)
    expect(await fact(page, 'By').innerText()).toMatch(/Local admin/)
    await page.getByRole('button', { name: 'Copy the id' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    await page.keyboard.press('Backspace')
    await page.getByText(/^Cancelling .* in 5 seconds$/).waitFor()
    await page.getByText('Cancelled', { exact: true }).first().waitFor()
  })

  it('answers to keys: neighbours of the list, retry, edit and run again with all it was asked for', async () => {
    await using opened = await openPage(world.baseUrl, '/tasks?labels=imported')
    const { page, faults } = opened
    await page.getByRole('link', { name: 'Imported 1', exact: true }).click()
    await heading(page, 'Imported 1')
    await page.keyboard.press(']')
    await heading(page, 'Imported 2')
    await page.keyboard.press('[')
    await page.keyboard.press('[')
    await heading(page, 'Imported 0')
    await page.keyboard.press('[')
    await heading(page, 'Imported 0')
    await page.goBack()
    await heading(page, 'Tasks')
    expect(new URL(page.url()).search).toBe('?labels=imported')

    const metadata = { failures: 0, note: 'kept' }
    const limits = { timeoutMs: 7_200_000, maxSteps: 60, maxCostUsd: 2.5 }
    const asked = {
      prompt: 'Do it',
      priority: 2 as const,
      labels: ['a', 'b'],
      description: 'Why',
      metadata,
      ...limits,
    }
    const { id } = await world.perform({ title: 'Once', ...asked })
    await page.goto(`/tasks/${id}`)
    await heading(page, 'Once')
    await page.getByRole('link', { name: 'Input' }).click()
    await page.getByText('2h for each attempt').waitFor()
    await page.getByText('at most 60', { exact: true }).waitFor()
    await page.getByText('$2.50 for all attempts').waitFor()
    await page.keyboard.press('E')
    const form = page.getByRole('dialog', { name: 'Edit and run again' })
    expect(await form.getByLabel('Labels').inputValue()).toBe('a, b')
    expect(await form.getByLabel('Time').inputValue()).toBe('2h')
    await form.getByLabel('Cost in USD').fill('much')
    await form.getByLabel('Title').fill('Twice')
    await form.getByRole('button', { name: 'Create' }).click()
    await form.getByText('Enter an amount above 0, such as 2.50.').waitFor()
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('maxCostUsd')
    expect(await violationsIn(page)).toEqual([])
    await form.getByLabel('Cost in USD').fill('2.5')
    await form.getByRole('button', { name: 'Create' }).click()
    await heading(page, 'Twice')
    await form.waitFor({ state: 'detached' })
    const made = await world.task(page.url().replace(/.*\//, ''))
    expect(made).toMatchObject({ title: 'Twice', ...asked })
    await page.keyboard.press('c')
    const empty = page.getByRole('dialog', { name: 'Create task' })
    expect(await empty.getByLabel('Prompt').inputValue()).toBe('')
    expect(await empty.getByLabel('Time').isVisible()).toBe(false)
    await empty.locator('label', { hasText: 'Coding agent' }).click()
    await empty.getByText('More', { exact: true }).click()
    await empty.getByPlaceholder('1h').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('Completed', { exact: true }).first().waitFor()
    await page.keyboard.press('r')
    const retried = fact(page, 'Retry of').getByRole('link', { name: made.id })
    await retried.waitFor()
    const retry = page.url().replace(/.*\//, '')
    await retried.click()
    await fact(page, 'Retried as').getByRole('link', { name: retry }).waitFor()
    expect(faults).toEqual([])
  })
})

inBrowser('the page of a task', () => {
  it('copies where the page came over plain http, which has no clipboard', async () => {
    const { id } = await world.create({ title: 'Copied' })
    await using opened = await openPage(world.baseUrl, '/theme.js')
    const { page } = opened
    await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }))
    await page.goto(`/tasks/${id}`)
    await page.getByRole('button', { name: 'Copy the id' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    await page.keyboard.press('c')
    const title = page.getByRole('dialog').getByLabel('Prompt')
    await title.press('Control+v')
    expect(await title.inputValue()).toBe(id)
    await page.keyboard.press('Escape')
    await page.evaluate(() => Object.assign(document, { execCommand: () => false }))
    await page.getByRole('button', { name: 'Copy the id' }).click()
    await page.getByText('Select the text and press Ctrl+C').first().waitFor()
  })

  it('says what it cost by what, what was denied, and why it waits and until when', async () => {
    const task = { ...finishedTasks(1)[0], id: 'task_costly', title: 'Costly', status: 'completed' }
    const result = { success: true, output: 'Done', denied: ['git push origin main'] }
    const cost = { usd: 0.0017, source: 'price' }
    await world.client.importTasks({ body: { version: '1.0', tasks: [{ ...task, result, cost }] } })
    await using opened = await openPage(world.baseUrl, '/tasks/task_costly')
    const { page } = opened
    expect(await fact(page, 'Cost').innerText()).toMatch(/^Cost\s+\$0\.0017$/)
    await page.getByRole('region', { name: 'Denied permissions' }).getByText('git push origin main').waitFor()
    await page.getByRole('link', { name: 'Usage' }).click()
    await page.getByText('From the list price of the model').waitFor()

    const until = new Date(Date.now() + 90 * 60_000).toISOString()
    const waits = [
      [
        { reason: 'hold', provider: 'anthropic' },
        /^Anthropic has reached its usage limit\. Next try in 1h\./,
      ],
      [
        { reason: 'budget' },
        /^The monthly budget is used up\. The next month begins in 1h\. Raise the budget$/,
      ],
      [{ reason: 'approval' }, /^A tool call needs a decision\. It expires in 1h\./],
    ] as const
    for (const [waiting, words] of waits) {
      const since = new Date().toISOString()
      const waitingTask = {
        ...task,
        id: 'task_waits',
        status: waiting.reason === 'approval' ? 'in_progress' : 'queued',
        threadId: 'task_waits',
        waitingFor: waiting.reason,
        waiting: { ...waiting, since, until },
      }
      await page.route('**/api/tasks/task_waits', (route) => route.fulfill({ json: { task: waitingTask } }))
      // The output has the call that waits for approval.
      await page.goto('/tasks/task_waits?tab=log')
      await page.getByRole('status').filter({ hasText: words }).waitFor()
    }
    await expectSound(opened)
  })
})

const MARKDOWN = `# Done

- **bold** words
- [ ] to do

| Check | Result |
| --- | ---: |
| types | passed |
| lint | 2 warnings |

\`\`\`ts
// How it is
const a = 'b'
\`\`\`

\`\`\`nothing
unknown words
\`\`\`

<img src=x onerror=alert(1)>`
const PATCH = `diff --git a/src/deep/a.ts b/src/deep/a.ts
--- a/src/deep/a.ts
+++ b/src/deep/a.ts
@@ -10,3 +10,4 @@ const f
 same
-const wide = '${'wide '.repeat(60)}'
+const wide = '${'wider '.repeat(60)}'
+more
 end
diff --git a/b.md b/b.md
--- a/b.md
+++ b/b.md
@@ -1 +1 @@
-old
+new
`

const isAtTop = (element: Element) => {
  const { top } = element.getBoundingClientRect()
  return top >= 0 && top < innerHeight / 2
}

inBrowser('the parts of a task', () => {
  it('are tabs with an address each: output rendered and as written, changes as in a review, input, raw', async () => {
    const [finished] = finishedTasks(1)
    const result = { success: true, output: MARKDOWN, diff: PATCH }
    const task = {
      ...finished,
      id: 'task_parts',
      title: 'Parts',
      status: 'completed',
      prompt: 'Do it',
      result,
    }
    await world.client.importTasks({ body: { version: '1.0', tasks: [task] } })
    await using opened = await openPage(world.baseUrl, '/tasks/task_parts')
    const { page, faults, context } = opened
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const output = page.getByRole('region', { name: 'Output' })
    await output.locator('strong', { hasText: 'bold' }).waitFor()
    expect(await output.locator('img').count()).toBe(0)
    await output.getByRole('columnheader', { name: 'Check' }).waitFor()
    expect(await output.getByRole('cell').allInnerTexts()).toEqual(['types', 'passed', 'lint', '2 warnings'])
    await output.getByRole('img', { name: 'Not done' }).waitFor()
    await output.locator('code span', { hasText: /^const$/ }).waitFor()
    expect(await output.locator('code', { hasText: 'unknown words' }).locator('span').count()).toBe(0)
    await expectSound(opened)
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('button', { name: 'Source' }).click()
    await output.getByText('- **bold** words').waitFor()

    await page.getByRole('link', { name: 'Changes' }).click()
    await page.waitForURL('**/tasks/task_parts?tab=changes')
    const file = page.getByRole('group', { name: 'Changes of src/deep/a.ts' })
    await file.locator('.grid').first().waitFor()
    await file
      .locator('.text-code-keyword', { hasText: /^const$/ })
      .first()
      .waitFor()
    expect(await violationsIn(page)).toEqual([])
    await page.setViewportSize({ width: 1100, height: 800 })
    await file.locator('.grid').first().waitFor({ state: 'detached' })
    expect((await file.innerText()).split(/\s*\n\s*/).slice(1, 4)).toEqual(['10', '10', 'same'])
    await page.getByRole('button', { name: 'Split' }).click()
    await file.locator('.grid').first().waitFor()
    await page.reload()
    await file.locator('.grid').first().waitFor()
    const tree = page.getByRole('navigation', { name: 'Changed files' })
    await page.keyboard.press('f')
    await tree.waitFor({ state: 'detached' })
    await page.keyboard.press('f')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('src/deep/')
    await tree.getByText('src/deep/').click()
    await tree.getByRole('button', { name: /^a\.ts/ }).waitFor({ state: 'hidden' })
    await tree.getByText('src/deep/').click()
    expect(await tree.getByRole('button', { name: /^a\.ts/ }).innerText()).toMatch(/\+2\s*−1/)
    await tree.getByRole('button', { name: /^b\.md/ }).click()
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('b.md')
    expect(await file.isVisible()).toBe(true)
    await page.getByRole('button', { name: 'Copy as patch' }).click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(PATCH)
    expect(await violationsIn(page)).toEqual([])
    await page.getByRole('button', { name: 'Unified' }).click()
    await expectSound(opened)
    await page.goto('/tasks/task_parts?tab=raw')
    await page.getByRole('region', { name: 'Task as JSON' }).getByText('"id": "task_parts"').waitFor()
    await page.goto('/tasks/task_parts?tab=input')
    await page.getByRole('region', { name: 'Prompt' }).getByText('Do it').waitFor()
    await expectSound(opened)
    expect(faults).toEqual([])
  })

  it('show the output as it was written where the code that reads Markdown does not come', async () => {
    const task = { ...finishedTasks(1)[0], id: 'task_unread', title: 'Unread', status: 'completed' }
    const result = { success: true, output: 'A **bold** line.\n\n'.repeat(4_000) }
    await world.client.importTasks({ body: { version: '1.0', tasks: [{ ...task, result }] } })
    await using opened = await openPage(world.baseUrl, '/theme.js')
    await opened.page.route(/markdown-worker/, (route) => route.abort())
    await opened.page.goto('/tasks/task_unread')
    const more = opened.page.getByRole('button', { name: 'Show more' })
    // A click may come before the page learns that the code is missing, and shows more of it as Markdown.
    await until(async () => {
      if (await more.isVisible()) await more.click()
      return (await opened.page.getByText('characters hidden').count()) === 0 ? true : undefined
    })
    expect(await opened.page.getByRole('region', { name: 'Output' }).textContent()).toContain(
      'A **bold** line.',
    )
  })

  it('draw a part of a diff with many lines, and more of it on demand', async () => {
    const file = (name: string, lines: number) =>
      `diff --git a/${name} b/${name}\n@@ -0,0 +1,${lines} @@\n${'+line\n'.repeat(lines)}`
    const diff = [
      ...Array.from({ length: 40 }, (_, n) => file(`part${n + 10}.ts`, 390)),
      file('whole.ts', 2_500),
    ].join('')
    const task = { ...finishedTasks(1)[0], id: 'task_bigdiff', title: 'Big', status: 'completed' }
    const result = { success: true, output: 'Done', diff }
    await world.client.importTasks({ body: { version: '1.0', tasks: [{ ...task, result }] } })
    await using opened = await openPage(world.baseUrl, '/tasks/task_bigdiff?tab=changes')
    const { page, faults } = opened
    await page.getByText('41 files', { exact: true }).waitFor()
    const changes = page.getByRole('group', { name: /^Changes of/ })
    await changes.nth(1).waitFor()
    expect(await changes.count()).toBe(2)
    await page
      .getByRole('navigation', { name: 'Changed files' })
      .getByRole('button', { name: /^whole\.ts/ })
      .click()
    const wholeFile = page.getByRole('group', { name: 'Changes of whole.ts' })
    const lines = wholeFile.getByText('line', { exact: true })
    // The hunk header is a line too.
    await lines.nth(1_062).waitFor()
    expect(await lines.count()).toBe(1_063)
    expect(await page.locator('summary', { hasText: 'whole.ts' }).evaluate(isAtTop)).toBe(true)
    await page.getByText('1,437 lines hidden').waitFor()
    await page.getByRole('button', { name: 'Show 1,064 more lines' }).click()
    await page.getByRole('button', { name: 'Show 373 more lines' }).click()
    await lines.nth(2_499).waitFor()
    expect(await lines.count()).toBe(2_500)
    const rules = ['button-name', 'nested-interactive', 'scrollable-region-focusable']
    expect(await violationsIn(page, rules)).toEqual([])
    expect(faults).toEqual([])
  })

  it('leave the screen of a phone to the changes: of the head one line stays, which leads back and to the other parts', async () => {
    const lines = 300
    const diff = `diff --git a/long.ts b/long.ts\n@@ -0,0 +1,${lines} @@\n${'+line\n'.repeat(lines)}`
    const task = { ...finishedTasks(1)[0], id: 'task_phone', title: 'On a phone', status: 'completed' }
    const result = { success: true, output: 'Done', diff }
    await world.client.importTasks({ body: { version: '1.0', tasks: [{ ...task, result }] } })
    const phone = { viewport: { width: 390, height: 844 } }
    await using opened = await openPage(world.baseUrl, '/tasks?labels=imported', phone)
    const { page } = opened
    await page.getByRole('link', { name: 'On a phone' }).click()
    await page.getByRole('link', { name: 'Changes' }).click()
    const changes = page.getByRole('group', { name: 'Changes of long.ts' })
    await changes.getByText('line', { exact: true }).nth(100).scrollIntoViewIfNeeded()
    const part = page.getByRole('combobox', { name: 'Part of the task' })
    await part.waitFor()
    const aboveChanges = await changes.evaluate((element) => {
      const { left, width } = element.getBoundingClientRect()
      for (let y = 0; y < innerHeight; y++)
        if (element.contains(document.elementFromPoint(left + width / 2, y))) return y
      return innerHeight
    })
    expect(aboveChanges).toBeLessThanOrEqual(44)
    expect(await violationsIn(page)).toEqual([])
    await part.selectOption('Output')
    await page.waitForURL('**/tasks/task_phone?tab=output')
    await page.getByRole('region', { name: 'Output' }).getByText('Done').waitFor()
    await page.getByRole('link', { name: 'Back' }).click()
    await page.waitForURL('**/tasks?labels=imported')
    await page.goto('/tasks/task_phone')
    expect(await page.getByRole('link', { name: 'Back' }).getAttribute('href')).toBe('/tasks')
  })

  it('draw a part of a long output, and more of it on demand', async () => {
    const item = '- **Bold** words\n\n'
    const end = `[guide]: https://example.com\n\nNot ended: ${'<!--'.repeat(3_000)}`
    const output = `See [the guide][guide].\n\n${item.repeat(2_228)}${end}`
    const task = { ...finishedTasks(1)[0], id: 'task_longoutput', title: 'Long', status: 'completed' }
    const result = { success: true, output }
    await world.client.importTasks({ body: { version: '1.0', tasks: [{ ...task, result }] } })
    await using opened = await openPage(world.baseUrl, '/tasks/task_longoutput')
    const { page, faults } = opened
    const outputRegion = page.getByRole('region', { name: 'Output' })
    const bold = outputRegion.locator('strong')
    await page.getByText(/characters hidden$/).waitFor()
    // The link's definition is in the last parsed slice, or missing: then the link stays source text.
    await outputRegion.getByText(/^See /).waitFor()
    const before = await bold.count()
    expect(before).toBeGreaterThan(500)
    expect(before).toBeLessThan(2_000)
    await page.getByRole('button', { name: 'Show more' }).click()
    await outputRegion.getByText('Not ended: <!--').waitFor()
    expect(await bold.count()).toBe(2_228)
    expect(await violationsIn(page, ['button-name', 'list', 'scrollable-region-focusable'])).toEqual([])
    expect(faults).toEqual([])
  })

  it('draw a part of a text of very many lines, and more of it on demand', async () => {
    const prompt = `${'\n'.repeat(30_000)}The end`
    const task = { ...finishedTasks(1)[0], id: 'task_manylines', prompt }
    await world.client.importTasks({ body: { version: '1.0', tasks: [task] } })
    await using opened = await openPage(world.baseUrl, '/tasks/task_manylines?tab=input')
    const promptGroup = opened.page.getByRole('group', { name: 'Prompt' })
    await promptGroup.getByText('5,607 characters hidden').waitFor()
    expect(await promptGroup.getByText('The end').count()).toBe(0)
    await promptGroup.getByRole('button', { name: 'Show more' }).click()
    await promptGroup.getByText('The end').waitFor()
    expect(await promptGroup.getByRole('button').count()).toBe(0)
  })

  it('show what is no diff as text, and say what was renamed and what is binary', async () => {
    const renamed = ['similarity index 100%', 'rename from old.ts', 'rename to new.ts']
    const lines = ['diff --git a/old.ts b/new.ts', ...renamed, 'diff --git a/x.png b/x.png']
    const diff = ['I did this:', ...lines, 'Binary files a/x.png and b/x.png differ'].join('\n')
    const taskWith = (id: string, changes: string) => ({
      ...finishedTasks(1)[0],
      id,
      title: 'Odd',
      status: 'completed',
      result: { success: true, output: 'Done', diff: changes },
    })
    const tasks = [taskWith('task_odd', diff), taskWith('task_words', 'I changed nothing.')]
    await world.client.importTasks({ body: { version: '1.0', tasks } })
    await using opened = await openPage(world.baseUrl, '/tasks/task_odd?tab=changes')
    const { page } = opened
    await page.getByRole('region', { name: 'Text of the diff' }).getByText('I did this:').waitFor()
    await page.locator('summary', { hasText: 'new.ts' }).getByText('renamed from old.ts').waitFor()
    const binary = page.locator('summary', { hasText: 'x.png' })
    expect(await binary.innerText()).toMatch(/^x\.png\s+binary$/)
    await expectSound(opened)
    await page.goto('/tasks/task_words?tab=changes')
    await page.getByText('This diff cannot be displayed as files').waitFor()
    await page.getByText('I changed nothing.').waitFor()
    expect(await page.getByText('0 files').count()).toBe(0)
  })

  it('name what memory gave by its place, and keep what is said of it, which may be changed', async () => {
    const { client } = world
    const given = { type: 'tool_chain', intent: 'Rollback of a release', solution: 'Stop the queue' } as const
    const { experience } = await client.createExperience({ body: given })
    const { id, intent } = experience
    const chunk = { id: 'chk_gone', path: 'ops/deploy.md', startLine: 5, endLine: 7, heading: 'Rollback' }
    const memory = { chunks: [chunk], experiences: [{ id, intent }] }
    const result = { success: true, output: 'Done', memory }
    const named = { id: 'task_memory', title: 'Guided', status: 'completed', prompt: 'Do it', result }
    await client.importTasks({ body: { version: '1.0', tasks: [{ ...finishedTasks(1)[0], ...named }] } })
    await using opened = await openPage(world.baseUrl, '/tasks/task_memory')
    const { page } = opened
    const from = page.getByRole('region', { name: 'From memory' })
    const source = from.getByRole('link', { name: 'ops/deploy.md:5–7' })
    expect(await source.getAttribute('href')).toBe('/memory?path=ops%2Fdeploy.md')
    const row = from.getByRole('listitem').filter({ hasText: intent })
    const answer = (name: string, isPressed: boolean) =>
      row.getByRole('button', { name, exact: true, pressed: isPressed })
    const successAndUses = async () => {
      const { experience: read } = await client.getExperience({ params: { id } })
      return [read.successScore, read.useCount]
    }
    await answer('Useful', false).click()
    await answer('Useful', true).waitFor()
    await page.reload()
    await answer('Useful', true).click()
    expect(await successAndUses()).toEqual([0.625, 1])
    await answer('Not useful', false).click()
    await answer('Not useful', true).waitFor()
    await page.reload()
    await answer('Not useful', true).waitFor()
    expect(await successAndUses()).toEqual([0.375, 0])
    await expectSound(opened)
  })

  it('have a log that follows its end, is searched, linked and saved', async () => {
    const { id } = await world.create({
      title: 'Talks',
      metadata: { lines: 400, linesEachSecond: 3, runMs: 600_000 },
    })
    await using opened = await openPage(world.baseUrl, `/tasks/${id}?tab=log`)
    const { page, faults } = opened
    const log = page.getByRole('region', { name: 'Log' })
    const lines = log.getByRole('listitem')
    const lastNumber = async () => Number((await lines.last().innerText()).split(/\s/)[0])
    await log.getByText('line 3 of 3').first().waitFor()
    expect(await lines.count()).toBeLessThan(120)
    expect(await lastNumber()).toBeGreaterThan(400)
    const before = await lastNumber()
    await page.waitForFunction(
      (number) =>
        Number(
          document.querySelector('[aria-label=Events] > li:last-child')?.textContent?.match(/^\d+/)?.[0],
        ) > number,
      before,
    )
    await log.evaluate((element) => element.scrollTo(0, 0))
    const more = page.getByRole('button', { name: /^\d+ new$/ })
    await more.waitFor()
    expect(await log.evaluate(({ scrollTop }) => scrollTop)).toBe(0)
    await more.click()
    await more.waitFor({ state: 'detached' })
    expect(await lastNumber()).toBeGreaterThan(before)

    const search = page.getByRole('searchbox', { name: 'Search the log' })
    await search.fill('LINE 77 of')
    await log.getByText('line 77 of 400').waitFor()
    await page
      .getByRole('status')
      .getByText(/^1 of 4\d\d$/)
      .waitFor()
    const number = (await lines.first().innerText()).split(/\s/)[0]
    // Lines hidden by a search are not new when they reappear.
    await search.fill('line 1')
    await page
      .getByRole('status')
      .getByText(/^1\d\d of/)
      .waitFor()
    const scrolled = (element: Element, to: number) => {
      element.scrollTo(0, to)
      return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    }
    await log.evaluate(scrolled, 1_000_000)
    await log.evaluate(scrolled, 0)
    await search.fill('')
    await more.waitFor()
    expect(Number.parseInt(await more.innerText(), 10)).toBeLessThan(100)
    await search.fill('LINE 77 of')
    await log.getByText('line 77 of 400').waitFor()
    await log.getByRole('link', { name: `Line ${number}` }).click()
    await page.waitForURL(`**/tasks/${id}?tab=log#L${number}`)
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    expect((await saving).suggestedFilename()).toBe(`${id}.log`)
    await page.reload()
    await log.getByText('line 77 of 400').waitFor()
    expect(await log.locator('[aria-current=page]').innerText()).toBe(number)
    await page.keyboard.press('Backspace')
    await page.getByText(/^Cancelling .* in 5 seconds$/).waitFor()
    await page.getByText('Cancelled', { exact: true }).first().waitFor()
    expect(await violationsIn(page)).toEqual([])
    expect(faults).toEqual([])
  })
})

inBrowser('the address of a line beyond the end of a log', () => {
  it('shows the end of the log, and says that there is no such line', async () => {
    const { id } = await world.perform({ title: 'Talked', metadata: { lines: 400 } })
    await using opened = await openPage(world.baseUrl, `/tasks/${id}?tab=log#L5000`)
    const { page } = opened
    await page.getByText('There is no line 5,000. This is the end of the log.').waitFor()
    const log = page.getByRole('region', { name: 'Log' })
    await log.getByRole('listitem').last().getByText('completed').waitFor()
    await expectSound(opened)
  })
})

inBrowser('the log of a task that runs', () => {
  it('is read whole once; from the first second on only what is new is asked for', async () => {
    const { id } = await world.create({
      title: 'Talks',
      metadata: { runMs: 240_000, lines: 400, linesEachSecond: 3 },
    })
    await until(async () => ((await world.events(id)).length > 400 ? true : undefined))
    await using opened = await openPage(world.baseUrl, '/theme.js')
    const { page, faults } = opened
    const read: { after: string | null; count: number }[] = []
    page.on('response', async (response) => {
      const { pathname, searchParams } = new URL(response.url())
      if (!pathname.endsWith('/events') || !pathname.includes(id)) return
      const { count } = (await response.json()) as { count: number }
      read.push({ after: searchParams.get('after'), count })
    })
    await page.goto(`/tasks/${id}?tab=log`)
    const last = page.getByRole('list', { name: 'Events' }).getByRole('listitem').last()
    await last.filter({ hasText: 'line 3 of 3' }).waitFor()
    while (read.length < 6) await page.waitForTimeout(200)
    const [first, ...rest] = read.slice(0, 6)
    expect(first).toEqual({ after: null, count: expect.any(Number) })
    expect(first?.count).toBeGreaterThan(400)
    for (const one of rest) {
      expect(one.after).toMatch(/^evt_/)
      expect(one.count).toBeLessThan(60)
    }
    await world.client.cancelTask({ params: { id } })
    await last.filter({ hasText: 'cancelled' }).waitFor()
    expect(faults).toEqual([])
  })
})

/** A finished thread, as an export has it. */
const finishedThread = (count: number) => {
  const [finished] = finishedTasks(1)
  // Turns are in the order of their ids.
  const turnId = (number: number) => `task_turn${String(number).padStart(3, '0')}`
  return Array.from({ length: count }, (_, n) => ({
    ...finished,
    id: turnId(n + 1),
    title: `Ask ${n + 1}`,
    prompt: `Ask ${n + 1}, with all words`,
    status: 'completed',
    cost: n === 0 ? { usd: null, source: 'unknown' } : { usd: 0.02, source: 'price' },
    result: {
      success: true,
      output: `**Answer** ${n + 1}`,
      diff: PATCH,
      // Other numbers than those of the diff: that one is shown.
      filesChanged: [{ path: 'src/deep/a.ts', additions: 20, deletions: 10 }],
    },
    ...(n > 0 && { threadId: turnId(1), parentId: turnId(n) }),
  }))
}

const changing = (line: string, more = '') =>
  `diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-const old = 1\n+const ${line} = 2\n${more}`
const ADDED =
  'diff --git a/new.txt b/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n'

inBrowser('a task that took several attempts', () => {
  it('has them as tabs with an address each, and compares two of them in two clicks', async () => {
    const diffs = [changing('first', ADDED), changing('second', ADDED), changing('third')]
    const { id } = await world.perform({ title: 'Tried', metadata: { failures: 2, diffs } })
    await using opened = await openPage(world.baseUrl, `/tasks/${id}`)
    const { page } = opened
    const attempts = page.getByRole('navigation', { name: 'Attempts' })
    await attempts.getByRole('link', { name: 'Attempt 3, Completed' }).waitFor()
    expect(await fact(page, 'Attempt').innerText()).toMatch(/3 of 3/)
    await page.getByRole('region', { name: 'Output' }).getByText('done by attempt 3').waitFor()
    await attempts.getByRole('link', { name: 'Attempt 1, Failed' }).click()
    await page
      .getByRole('region', { name: 'Why it ended' })
      .getByText('not in the mood for attempt 1')
      .waitFor()
    expect((await page.getByRole('main').innerText()).match(/not in the mood/g)).toHaveLength(1)
    await expectSound(opened)
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('link', { name: 'Changes', exact: true }).click()
    await page.reload()
    await page.getByRole('group', { name: 'Changes of a.ts' }).getByText('const first = 2').waitFor()
    await page.getByRole('group', { name: 'Changes of new.txt' }).waitFor()

    await page.goto(`/tasks/${id}`)
    await page.getByRole('link', { name: 'Compare' }).click()
    const difference = page.getByRole('region', { name: 'Difference of the changes' })
    await difference.getByRole('heading', { name: '2 files differ' }).waitFor()
    const ofFile = page.getByRole('group', { name: 'Changes of a.ts' })
    await ofFile.getByText('+const second = 2').waitFor()
    await ofFile.getByText('+const third = 2').waitFor()
    expect(await page.getByRole('table', { name: 'Figures' }).innerText()).toMatch(/Failed\s+Completed/)
    await page.getByLabel('Second').selectOption('Attempt 1')
    await difference.getByText('The same in both: new.txt').waitFor()
    await page.reload()
    await ofFile.getByText('+const first = 2').waitFor()
    await expectSound(opened)
  })

  it('is compared with its retry, and says what is not known', async () => {
    const { id } = await world.perform({ title: 'Once', metadata: { diff: changing('same') } })
    const { task: retry } = await world.client.retryTask({ params: { id } })
    const gone = { ...finishedTasks(1)[0], id: 'task_nothing', title: 'Nothing', status: 'cancelled' }
    await world.client.importTasks({ body: { version: '1.0', tasks: [gone] } })
    await until(async () => ((await world.task(retry.id)).status === 'completed' ? true : undefined))
    await using opened = await openPage(world.baseUrl, `/tasks/${retry.id}`)
    const { page } = opened
    await page.getByRole('link', { name: 'Compare' }).click()
    await page.getByRole('heading', { name: 'Both made the same changes' }).waitFor()
    await page.getByText('Both have the same output.').waitFor()
    expect(await page.getByRole('table', { name: 'Figures' }).innerText()).not.toMatch(/Cost|Tokens/)
    await page.goto(`/tasks/${retry.id}?tab=compare&first=task_nothing`)
    await page.getByText('The changes cannot be compared, because task_nothing has no result.').waitFor()
  })
})

inBrowser('the result of a task', () => {
  it('is taken: by a command with the patch in it, by the command line, and by its pull request', async () => {
    using folder = temporaryFolder()
    const inFolder = (program: string, ...args: string[]) =>
      promisify(execFile)(program, args, { cwd: folder.path })
    await inFolder('git', 'init', '--quiet')
    writeFileSync(join(folder.path, 'a.ts'), 'const old = 1\n')
    const diff = changing(
      "it's = `$HOME`; const other",
      `${ADDED}diff --git a/x.png b/x.png\nindex 111..222 100644\nBinary files a/x.png and b/x.png differ\n`,
    )
    const pullRequest = { number: 7, url: 'https://code.example/acme/web/pull/7' }
    const published = { status: 'published', branch: 'agent/x', pullRequest }
    const { id } = await world.perform({ title: 'Taken', metadata: { diff, published } })
    await using opened = await openPage(world.baseUrl, `/tasks/${id}?tab=changes`)
    const { page, context } = opened
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const copied = async (name: string) => {
      await page.getByRole('button', { name }).click()
      return page.evaluate(() => navigator.clipboard.readText())
    }
    const expectApplied = () => {
      expect(readFileSync(join(folder.path, 'a.ts'), 'utf8')).toBe("const it's = `$HOME`; const other = 2\n")
      expect(readFileSync(join(folder.path, 'new.txt'), 'utf8')).toBe('new\n')
    }
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('dialog', { name: 'Apply the changes' }).waitFor()
    await inFolder('bash', '-c', await copied('Copy the command with the patch'))
    expectApplied()
    writeFileSync(join(folder.path, 'a.ts'), 'const old = 1\n')
    rmSync(join(folder.path, 'new.txt'))
    const line = await copied('Copy the command')
    expect(line).toContain(`AGENT_TASKS_URL=${world.baseUrl} agent-tasks diff ${id}`)
    const program = `agent-tasks() { '${process.execPath}' '${join(root, 'bin/agent-tasks.js')}' "$@"; }`
    await inFolder('bash', '-c', `set -o pipefail; ${program}; ${line}`)
    expectApplied()
    expect(await violationsIn(page)).toEqual([])
    await page.keyboard.press('Escape')
    const open = page.getByRole('link', { name: 'Open PR #7' })
    expect(await open.first().getAttribute('href')).toBe(pullRequest.url)
    await expectSound(opened)
    // What is done is taken: to run it again is not the next step.
    expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('dialog', { name: 'More actions' }).getByRole('button', { name: 'Retry' }).waitFor()
    expect(await violationsIn(page)).toEqual([])

    const fault = { code: 'pull_request_refused', message: 'Refused' }
    const compareUrl = 'https://code.example/acme/web/compare/main...agent/x?expand=1'
    const pushed = { status: 'failed', branch: 'agent/x', compareUrl, error: fault }
    const kept = `${changing('cut')}[diff truncated at 200 kB]\n`
    const other = await world.perform({ title: 'Pushed', metadata: { diff: kept, published: pushed } })
    await page.goto(`/tasks/${other.id}?tab=changes`)
    const create = page.getByRole('link', { name: 'Create PR' })
    expect(await create.first().getAttribute('href')).toBe(compareUrl)
    expect(await open.count()).toBe(0)
    const apply = page.getByRole('button', { name: 'Apply' })
    expect(await apply.getAttribute('title')).toBe('This diff was too large to store completely')
    expect(await apply.isDisabled()).toBe(true)
  })

  it('says a failure once: the reason, how many are alike, and what to do', async () => {
    const prompt = `${'All that is asked for. '.repeat(40)}The end.`
    const failing = { title: 'Alike', prompt, metadata: { failures: 9, diffs: [changing('a')] } }
    const tasks = await Promise.all([world.perform(failing), world.perform(failing)])
    await using opened = await openPage(world.baseUrl, `/tasks/${tasks[0]?.id}`)
    const { page } = opened
    const failure = page.getByRole('region', { name: 'Why it failed' })
    await failure.getByText('not in the mood for attempt 3').waitFor()
    expect((await page.getByRole('main').innerText()).match(/not in the mood/g)).toHaveLength(1)
    const size = (element: Element) => Number.parseFloat(getComputedStyle(element).fontSize)
    expect(await failure.getByText('not in the mood').evaluate(size)).toBeGreaterThanOrEqual(
      await page.getByRole('heading', { level: 1 }).evaluate(size),
    )
    const whole = page.getByRole('button', { name: 'Whole prompt' })
    const top = (element: Element) => element.getBoundingClientRect().top
    expect(await failure.evaluate(top)).toBeLessThan(await whole.evaluate(top))
    const asked = page.getByText(/^All that is asked for\. /)
    const height = (element: Element) => element.getBoundingClientRect().height
    const folded = await asked.evaluate(height)
    await whole.click()
    await page.getByRole('group', { name: 'Prompt: Alike' }).getByText('The end.').waitFor()
    expect(await asked.evaluate(height)).toBeGreaterThan(2 * folded)
    await expectSound(opened)
    await failure.getByRole('link', { name: /^\d+ similar failures in the last 7 days$/ }).click()
    await page.waitForURL(/fingerprint=/)
    await page.getByText('not in the mood for attempt 3').first().waitFor()
  })
})

inBrowser('the composer of a task', () => {
  it('is in view at each size and place, and covers nothing that has the focus', async () => {
    const result = { success: true, output: MARKDOWN.repeat(40), diff: PATCH }
    const task = { ...finishedTasks(1)[0], id: 'task_composer', title: 'Composed', status: 'completed' }
    await world.client.importTasks({
      body: { version: '1.0', tasks: [{ ...task, prompt: 'Do it', result }] },
    })
    await using opened = await openPage(world.baseUrl, '/tasks/task_composer')
    const { page } = opened
    await page.getByRole('region', { name: 'Output' }).locator('strong').first().waitFor()
    for (const size of [
      { width: 1280, height: 800 },
      { width: 390, height: 844 },
      { width: 390, height: 500 },
    ]) {
      await page.setViewportSize(size)
      const reply = page.getByRole('textbox', { name: 'Reply' })
      expect(await reply.evaluate(isInView)).toBe(true)
      for (let n = 0; n < 25; n++) {
        await page.keyboard.press('Tab')
        expect(await page.evaluate(coveredFocus)).toBe('')
      }
    }
  })
})

const isInView = (element: Element) => {
  const { top, bottom } = element.getBoundingClientRect()
  return top >= 0 && bottom <= innerHeight
}

/** What has the focus, where something else lies over its upper and its lower end. */
const coveredFocus = () => {
  const element = document.activeElement
  if (element === null || element === document.body) return ''
  const { left, top, bottom, width } = element.getBoundingClientRect()
  const isThere = (y: number) => {
    const there = document.elementFromPoint(left + width / 2, y)
    return there !== null && (element.contains(there) || there.contains(element))
  }
  return isThere(top + 3) || isThere(bottom - 3) ? '' : element.outerHTML.slice(0, 200)
}

inBrowser('the thread of a task', () => {
  const turns = (page: Page) => page.getByRole('list', { name: 'Turns' }).getByRole('listitem')
  const field = (page: Page) => page.getByRole('textbox', { name: 'Reply' })

  it('is one conversation: each turn with its prompt, answer, changes, time and cost, the earlier ones on demand', async () => {
    await world.client.importTasks({ body: { version: '1.0', tasks: finishedThread(31) } })
    await using opened = await openPage(world.baseUrl, '/tasks/task_turn001')
    const { page } = opened
    await page.getByText('Turn 1 of 31').waitFor()
    await page.getByText('Whole thread $0.60+').waitFor()
    expect(await page.locator('[aria-current=true]').innerText()).toMatch(/^Turn\s+1\s+Ask 1\s/)
    await page.getByRole('button', { name: '22 earlier turns' }).click()
    await page.getByRole('button', { name: '2 earlier turns' }).waitFor()
    await page.getByRole('button', { name: 'Turn 30 Ask 30' }).press('Enter')
    const turn = turns(page).filter({ hasText: 'Ask 30' })
    await turn.getByText('Ask 30, with all words').waitFor()
    await turn.locator('strong', { hasText: 'Answer' }).waitFor()
    expect(await turn.innerText()).toMatch(/2s\s*·?\s*\$0\.02\s+Completed/)
    await expectSound(opened)
    await page.setViewportSize({ width: 1280, height: 800 })
    await turn.getByRole('link', { name: '2 files changed +3 −2 src/deep/a.ts, b.md' }).click()
    await page.waitForURL('**/tasks/task_turn030?tab=changes')
    await page.getByRole('group', { name: 'Changes of src/deep/a.ts' }).waitFor()
    expect(await fact(page, 'Changes').innerText()).toMatch(/2 files\s+\+3\s+−2$/)
    await page.getByRole('link', { name: 'Output' }).click()
    await page.getByRole('link', { name: 'Latest turn' }).click()
    await heading(page, 'Ask 31')
    await page.getByText('Turn 31 of 31').waitFor()
    expect(await page.getByRole('link', { name: 'Latest turn' }).count()).toBe(0)
  })

  it('goes on by a reply: at once after an end, and after the running turn before it', async () => {
    const first = await world.perform({ title: 'Begun', prompt: 'Begin' })
    await using opened = await openPage(world.baseUrl, `/tasks/${first.id}`)
    const { page } = opened
    await page.getByRole('region', { name: 'Output' }).waitFor()
    // What is typed while a reply is under way is kept, on the page of the next turn as well.
    const typeMeanwhile = (text: string) =>
      page.route(
        '**/messages',
        async (route) => {
          await field(page).press('Control+End')
          await page.keyboard.type(text)
          await route.continue()
        },
        { times: 1 },
      )
    await page.keyboard.press('m')
    await page.keyboard.type('Go on\nwith more')
    await page.reload()
    expect(await field(page).inputValue()).toBe('Go on\nwith more')
    await typeMeanwhile('\nand')
    await field(page).press('Control+Enter')
    await heading(page, 'Go on')
    await page.getByText('Turn 2 of 2').waitFor()
    await turns(page).filter({ hasText: 'with more' }).getByText('done by attempt 1').waitFor()
    expect(await field(page).evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.type(' later')
    expect(await field(page).inputValue()).toBe('Go on\nwith more\nand later')

    const running = await world.create({ title: 'Runs', metadata: { runMs: 240_000, lines: 1 } })
    await page.goto(`/tasks/${running.id}?tab=output`)
    await page.getByText('line 1 of 1').waitFor()
    await page.getByText('The agent gets your message when the current turn ends.').waitFor()
    await field(page).fill('And then?')
    await page.getByRole('button', { name: 'Send' }).click()
    const waiting = page.getByRole('region', { name: 'Waiting messages' })
    await waiting.getByText('And then?').waitFor()
    await page.getByText('1 message waits for the current turn to end.').waitFor()
    expect(await field(page).inputValue()).toBe('')
    await expectSound(opened)
    await world.client.cancelTask({ params: { id: running.id } })
    await turns(page).filter({ hasText: 'And then?' }).getByText('Running').waitFor()
    await waiting.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Open this turn' }).click()
    await heading(page, 'And then?')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await turns(page).last().getByText('Cancelled').waitFor()
  })

  it('says at the field why a message was not taken, keeps it, and makes one turn of a message that is sent again', async () => {
    const { id } = await world.perform({ title: 'Asked once', prompt: 'Ask' })
    await using opened = await openPage(world.baseUrl, `/tasks/${id}`)
    const { page } = opened
    const loseAnswer = async (route: Route) => {
      await route.fetch()
      await route.abort()
    }
    await page.route('**/messages', loseAnswer, { times: 1 })
    await field(page).fill('Only once')
    await field(page).press('Control+Enter')
    await page.getByText('Send it again. The message is not sent twice.').waitFor()
    await field(page).press('Control+Enter')
    await heading(page, 'Only once')
    const { thread } = await world.client.getThread({ params: { id } })
    expect(thread.tasks).toHaveLength(2)

    // Another tab has drafts too.
    const tab = await opened.context.newPage()
    const other = await world.perform({ title: 'Other', prompt: 'Ask' })
    await tab.goto(`${world.baseUrl}/tasks/${other.id}`)
    await field(tab).fill('Written there')
    await field(page).fill('Written here')
    await Promise.all([tab.reload(), page.reload()])
    expect(await field(tab).inputValue()).toBe('Written there')
    expect(await field(page).inputValue()).toBe('Written here')
    await tab.close()

    // Nothing of its work is stored.
    const gone = { ...finishedTasks(1)[0], id: 'task_gone', title: 'Gone', prompt: 'Old' }
    await world.client.importTasks({ body: { version: '1.0', tasks: [gone] } })
    await page.goto('/tasks/task_gone')
    await field(page).fill('Go on with it')
    await field(page).press('Control+Enter')
    await page.getByText(/^This thread is closed/).waitFor()
    expect(await field(page).getAttribute('aria-invalid')).toBe('true')
    await expectSound(opened)
    await page.getByRole('button', { name: 'New task with this text' }).click()
    const form = page.getByRole('dialog', { name: 'Edit and run again' })
    expect(await form.getByLabel('Prompt').inputValue()).toBe('Go on with it')
  })
})
