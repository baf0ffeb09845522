import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { closeBrowser, hasBrowser, openPage } from './browser.ts'
import { inBrowser } from './in-browser.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  if (!hasBrowser) return
  world = await startWorld()
  await world.client.createTask({ body: { title: 'The first' } })
}, 120_000)
afterAll(async () => {
  await closeBrowser()
  await world?.stop()
})

const STREAM = '/api/events/stream'

inBrowser('a page that follows the stream of changes', () => {
  it('asks nothing while nothing happens, and shows what does', async () => {
    await using opened = await openPage(world.baseUrl, '/tasks')
    const { page, faults } = opened
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.getByRole('table', { name: 'Tasks' }).waitFor()
    // Longer than any list is polled without the stream.
    await page.waitForTimeout(3_000)
    asked.length = 0
    await page.waitForTimeout(12_000)
    expect(asked).toEqual([])

    await world.client.createTask({ body: { title: 'Made elsewhere' } })
    await page.getByRole('row').filter({ hasText: 'Made elsewhere' }).getByText('Completed').waitFor()
    expect(asked.length).toBeGreaterThan(0)
    expect(faults).toEqual([])
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
