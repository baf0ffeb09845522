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
const PUBLISH = 'demo: tool run_command {"command": "npm", "args": ["publish", "--access", "public"]}'
const INDEX = `demo: tool write_file ${JSON.stringify({
  path: 'migrations/0042_orders_by_customer.sql',
  content: 'CREATE INDEX CONCURRENTLY orders_by_customer ON orders (customer_id, created_at DESC);\n',
})}`
/** With the state to wait for; calls of tools wait for approval when the picture is taken. */
const TASKS: readonly [title: string, prompt: string, state: 'completed' | 'failed' | 'in_progress'][] = [
  ['Update the dependencies', NOTE, 'completed'],
  ['Describe the release process', NOTE, 'completed'],
  ['Fix the login form on small screens', NOTE, 'completed'],
  ['Find out why the build is slow', 'demo: fail 400', 'failed'],
  ['Write tests for the importer', NOTE, 'completed'],
  ['Release version 2.4', PUBLISH, 'in_progress'],
  ['Add an index for the orders of a customer', INDEX, 'in_progress'],
]

using folder = temporaryFolder()
await using service = await startService({
  env: {
    DATA_DIR: folder.in('data'),
    MEMORY_DIR: folder.in('memory'),
    QUEUE_CONCURRENCY: '4',
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

await using opened = await openPage(service.baseUrl, '/inbox', {
  viewport: { width: 1440, height: 760 },
  colorScheme: 'light',
})
const { page } = opened
await page.getByRole('button', { name: 'Allow once' }).waitFor()
await page.getByText('migrations/0042_orders_by_customer.sql').waitFor()
await page.getByText('Update the dependencies').waitFor()
for (const name of ['Release version 2.4', 'Add an index for the orders of a customer', 'Coding agent'])
  await page.getByText(name).first().waitFor()
writeFileSync(join(root, 'docs/page.png'), await page.screenshot())
await closeBrowser()
