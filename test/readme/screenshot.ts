import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '../journeys/client.ts'
import { startService, temporaryFolder } from '../journeys/service.ts'
import { closeBrowser, openPage } from '../ui/browser.ts'
import { root } from './readme.ts'

/**
 * Takes the picture of README.md, of a service that has just worked: `npm run node -- test/readme/screenshot.ts`. Nothing in it
 * is made up; the demo model does the tasks, and fails those that it is told to fail.
 */
const NOTE = 'Write a note about this workspace'
/** With what they come to; the last ones are still under way when the picture is taken. */
const TASKS: readonly [title: string, prompt: string, end?: 'completed' | 'failed'][] = [
  ['Update the dependencies', NOTE, 'completed'],
  ['Describe the release process', NOTE, 'completed'],
  ['Find out why the build is slow', 'demo: fail 400', 'failed'],
  ['Write tests for the importer', NOTE, 'completed'],
  ['Review the migration', 'demo: slow 60000'],
  ['Fix the login form on small screens', 'demo: slow 60000'],
  ['Translate the error messages', NOTE],
]

using folder = temporaryFolder()
await using service = await startService({
  env: {
    DATA_DIR: folder.in('data'),
    MEMORY_DIR: folder.in('memory'),
    QUEUE_CONCURRENCY: '2',
    QUEUE_RETRY_ATTEMPTS: '1',
  },
  mostMs: 120_000,
})
const api = connect(service.baseUrl)
for (const [title, prompt, end] of TASKS) {
  const { id } = await api.create({ title, prompt })
  if (end) await api.untilTask(id, end)
}

await using opened = await openPage(service.baseUrl, '/', {
  viewport: { width: 1200, height: 660 },
  colorScheme: 'light',
})
const { page } = opened
await page.getByText('Running', { exact: true }).nth(1).waitFor()
await page.locator('canvas').nth(1).waitFor()
writeFileSync(join(root, 'docs/page.png'), await page.screenshot())
await closeBrowser()
