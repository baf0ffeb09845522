import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { until } from '../journeys/api.ts'
import { connect } from '../journeys/client.ts'
import { type OpenedService, openService } from '../journeys/opened-service.ts'
import { closeBrowser, hasBrowser, loadAnew, openPage } from './browser.ts'
import { inBrowser } from './in-browser.ts'
import { expectSound } from './sound.ts'

/** A provider that refuses every call: by its usage limit, or for its key. */
let isUsedUp = true
const provider = createServer((_, response) => {
  const status = isUsedUp ? 429 : 401
  const headers = { 'content-type': 'application/json', ...(isUsedUp && { 'retry-after': '3000' }) }
  response.writeHead(status, headers).end(JSON.stringify({ error: { message: 'All used up' } }))
})

let service: OpenedService
let api: ReturnType<typeof connect>
beforeAll(async () => {
  if (!hasBrowser) return
  provider.listen(0, '127.0.0.1')
  await once(provider, 'listening')
  service = await openService({
    ANTHROPIC_API_KEY: 'sk-operator-0123456789',
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
  })
  api = connect(service.baseUrl)
})
afterAll(async () => {
  await closeBrowser()
  await service?.[Symbol.asyncDispose]()
  provider.closeAllConnections()
  provider.close()
})

/** A task that waits for the provider. */
const heldTask = async (title: string) => {
  isUsedUp = true
  const { task } = await api.client.createTask({ body: { title, assignedAgent: 'coding-agent' } })
  await until(async () => {
    const found = await api.client.getTask({ params: { id: task.id } })
    return found.task.waitingFor === 'hold' ? found : undefined
  })
  return task.id
}

inBrowser('a provider whose usage limit is reached', () => {
  it('is named above the pages of work, with its reset and what waits, and an admin starts that anyway', async () => {
    await using opened = await openPage(service.baseUrl, '/tasks')
    const { page } = opened
    const hold = page.getByRole('region', { name: 'Anthropic is on hold' })
    await page.getByText('No tasks yet').waitFor()
    expect(await hold.count()).toBe(0)

    const id = await heldTask('Waits')
    await hold.getByText('Anthropic has reached a usage limit: All used up').waitFor()
    await hold.getByText(/1 task waits · tried again in \d\d:\d\d/).waitFor()
    const left = await hold.getByRole('time').innerText()
    await until(async () => ((await hold.getByRole('time').innerText()) === left ? undefined : true))
    const row = page.getByRole('row').filter({ hasText: 'Waits' })
    await row.getByText('On hold').waitFor()
    await expectSound(opened)
    await row.getByText(/^Waiting for Anthropic until /).waitFor()

    await loadAnew(opened, '/agents')
    const card = page.getByRole('region', { name: 'Coding agent' })
    await card.getByText('Its tasks wait until it resets').waitFor()
    await hold.waitFor()
    await loadAnew(opened, '/tasks/overview')
    await page.getByRole('region', { name: 'Queued' }).getByText('Waiting for Anthropic').waitFor()
    await hold.waitFor()
    await expectSound(opened)

    isUsedUp = false
    await hold.getByRole('button', { name: 'Start anyway' }).click()
    await page.getByText('Tasks waiting for Anthropic start now').waitFor()
    await hold.waitFor({ state: 'detached' })
    await api.untilTask(id, 'failed')
    await loadAnew(opened, '/settings')
    await page.getByRole('heading', { name: 'Profile', level: 1 }).waitFor()
    expect(opened.faults).toEqual([])
  })

  it('is not for other users to start, and leaves the page by itself when its hold ends', async () => {
    await heldTask('Waits too')
    await using opened = await openPage(service.baseUrl, '/settings')
    const { page } = opened
    await page.route('**/api/auth/me', async (route) => {
      const response = await route.fetch()
      const me = await response.json()
      await route.fulfill({ response, json: { ...me, user: { ...me.user, role: 'user' } } })
    })
    const hold = page.getByRole('region', { name: 'Anthropic is on hold' })
    await page.getByRole('heading', { name: 'Profile', level: 1 }).waitFor()
    expect(await hold.count()).toBe(0)
    await page.goto('/tasks')
    await hold.getByText('1 task waits').waitFor()
    expect(await hold.getByRole('button').count()).toBe(0)

    isUsedUp = false
    const { holds } = await api.client.listHolds()
    await api.client.removeHold({ params: { id: holds[0]?.id ?? '' } })
    await hold.waitFor({ state: 'detached' })
    expect(opened.faults).toEqual([])
  })
})
