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
/** With the state to wait for; the last ones are still running when the picture is taken. */
const TASKS: readonly [title: string, prompt: string, state?: 'completed' | 'failed' | 'in_progress'][] = [
  ['Update the dependencies', NOTE, 'completed'],
  ['Describe the release process', NOTE, 'completed'],
  ['Find out why the build is slow', 'demo: fail 400', 'failed'],
  ['Write tests for the importer', NOTE, 'completed'],
  ['Release version 2.4', 'demo: tool run_command {"command": "npm", "args": ["publish"]}', 'in_progress'],
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
for (const [title, prompt, state] of TASKS) {
  const metadata = { securityMode: prompt.startsWith('demo: tool') ? 'ask' : 'full' }
  const { id } = await api.create({ title, prompt, metadata })
  if (state) await api.untilTask(id, state)
}

await using opened = await openPage(service.baseUrl, '/tasks/overview', {
  viewport: { width: 1200, height: 700 },
  colorScheme: 'light',
})
const { page } = opened
await page.getByRole('button', { name: 'Hide the first steps' }).click()
await page.getByText(/^Waiting for approval/).waitFor()
await page.getByText('Running', { exact: true }).nth(2).waitFor()
await page.getByText('Success rate').waitFor()
writeFileSync(join(root, 'docs/page.png'), await page.screenshot())
await closeBrowser()
