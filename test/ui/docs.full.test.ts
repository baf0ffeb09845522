import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { routes } from '../../lib/api/routes.ts'
import { until } from '../journeys/api.ts'
import { openService } from '../journeys/opened-service.ts'
import { listed, readText } from '../readme/readme.ts'
import { violationsIn } from './axe.ts'
import { closeBrowser, hasBrowser, loadAnew, openPage } from './browser.ts'
import { inBrowser } from './in-browser.ts'
import { expectSound } from './sound.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  if (hasBrowser) world = await startWorld()
})
afterAll(async () => {
  await closeBrowser()
  await world?.stop()
})

inBrowser('the docs', () => {
  let shared: Awaited<ReturnType<typeof openPage>>
  beforeAll(async () => {
    shared = await openPage(world.baseUrl, '/theme.js')
  })
  afterAll(() => shared?.[Symbol.asyncDispose]())

  it.each([
    ['/docs', 'Try every operation of this service'],
    ['/docs/api/createTask', 'Send POST'],
    ['/docs/api/followEvents?code=typescript', 'eventsIn(body)'],
    ['/docs/guide/tasks', 'Create a task only once'],
    ['/docs/reference/errors#task_not_found', 'the task does not exist'],
    ['/docs/reference/settings', 'QUEUE_CONCURRENCY'],
    ['/docs/guide/quickstart', 'A first task'],
    ['/docs/explain/lifecycle', 'undeliverable'],
    ['/docs/guide/nowhere', 'This page does not exist'],
  ])('have nothing at %s that axe finds wrong in either theme, and fit 390 px', async (path, text) => {
    await loadAnew(shared, path)
    await shared.page.getByText(text).first().waitFor()
    await expectSound(shared)
  })

  it('have every operation and every page of docs/, found by a word', async () => {
    await using opened = await openPage(world.baseUrl, '/docs')
    const { page, faults } = opened
    const contents = page.getByRole('navigation', { name: 'Docs', exact: true })
    await contents.getByText('API: tasks').waitFor()
    const links = await contents.locator('a').evaluateAll((all) => all.map((one) => one.getAttribute('href')))
    expect(links.filter((href) => href?.startsWith('/docs/api/')).sort()).toEqual(
      Object.keys(routes)
        .map((name) => `/docs/api/${name}`)
        .sort(),
    )
    expect(links.filter((href) => !href?.startsWith('/docs/api/')).sort()).toEqual(
      ['/docs/guide/quickstart', ...listed.map((name) => `/${name.replace(/\.md$/, '')}`)].sort(),
    )
    expect(links[0]).toBe('/docs/guide/quickstart')
    await page.getByPlaceholder('Search…').fill('dead letter')
    await contents.getByText('listDlq').click()
    await page.getByRole('heading', { level: 1, name: 'listDlq' }).waitFor()
    expect(faults).toEqual([])
  })

  it('are searched by their full text, which is loaded with the first search, and a hit opens its section', async () => {
    await using opened = await openPage(world.baseUrl, '/docs')
    const { page, faults } = opened
    const isLoaded = () =>
      page.evaluate(() =>
        performance.getEntriesByType('resource').some(({ name }) => name.includes('docs-index')),
      )
    const contents = page.getByRole('navigation', { name: 'Docs', exact: true })
    await contents.getByText('API: tasks').waitFor()
    expect(await isLoaded()).toBe(false)
    await page.getByPlaceholder('Search…').fill('transactions counted')
    const hit = page.getByRole('list', { name: 'Found in the guides' }).getByRole('link')
    await hit.getByText('The log is lost').waitFor()
    expect(await hit.count()).toBe(1)
    expect(await hit.locator('mark').allInnerTexts()).toEqual(['counted', 'transactions'])
    expect(await isLoaded()).toBe(true)
    expect(await violationsIn(page)).toEqual([])
    await hit.click()
    await page.waitForURL(/\/docs\/operate\/backup#the-log-is-lost$/)
    await page.getByPlaceholder('Search…').fill('quetzalcoatl')
    await contents.getByText('No guide has these words.').waitFor()
    expect(faults).toEqual([])
  })

  it('show a diagram in the colours of the theme, and examples that call the origin of the page', async () => {
    await using opened = await openPage(world.baseUrl, '/docs/explain/lifecycle')
    const { page, faults } = opened
    const diagram = page.getByRole('img', { name: 'Diagram' })
    const label = diagram.getByText('in_progress', { exact: true })
    await label.waitFor()
    const colour = () => label.evaluate((one) => getComputedStyle(one).fill)
    await page.emulateMedia({ colorScheme: 'light' })
    const light = await colour()
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.locator('html.dark').waitFor()
    expect(await colour()).not.toBe(light)
    await page.goto('/docs/guide/tasks')
    await page.getByText(`curl -s ${world.baseUrl}/api/tasks/$ID/events`).waitFor()
    await page.goto('/docs/operate/configure')
    await page.getByText('proxy_pass http://127.0.0.1:3000;').waitFor()
    expect(faults).toEqual([])
  })

  it('try an operation with the session of the page, and show the call in each language', async () => {
    await using opened = await openPage(world.baseUrl, '/docs/api/createTask')
    const { page, faults } = opened
    await page.getByRole('textbox', { name: 'Body' }).fill('{"title": "Tried", "prompt": "It\'s tried"}')
    const code = (language: string) => page.getByRole('region', { name: `The call in ${language}` })
    expect(await code('curl').innerText()).toContain(`-d '{"title": "Tried", "prompt": "It'\\''s tried"}'`)
    await page.getByRole('link', { name: 'TypeScript' }).click()
    expect(await code('TypeScript').innerText()).toContain('client.createTask({')
    await page.getByRole('link', { name: 'CLI', exact: true }).click()
    expect(await code('CLI').innerText()).toContain(`npx agent-tasks run 'It'\\''s tried' --title Tried`)
    expect(page.url()).toMatch(/\?code=cli$/)
    await page.getByRole('button', { name: 'Send POST' }).click()
    await page.getByRole('status').getByText('201').waitFor()
    const answer = page.getByRole('region', { name: 'The answer' })
    await until(async () => ((await answer.innerText()).includes('"title": "Tried"') ? true : undefined))
    expect((await world.client.listTasks({})).tasks[0]?.title).toBe('Tried')
    expect(faults).toEqual([])
  })

  it('read a stream as it comes, until it is stopped', async () => {
    await using opened = await openPage(world.baseUrl, '/docs/api/followEvents')
    const { page, faults } = opened
    await page.getByRole('button', { name: 'Send GET' }).click()
    await page.getByRole('region', { name: 'The answer' }).getByText('"type":"ready"').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
    expect(faults).toEqual([])
  })

  it('lead from the code of an error, wherever it is shown, to what it means', async () => {
    const { id } = await world.perform({ title: 'Fails', metadata: { failures: 9 } })
    await using opened = await openPage(world.baseUrl, `/tasks/${id}`)
    const { page } = opened
    await page.getByRole('link', { name: 'agent_error' }).click()
    await page.waitForURL(/\/docs\/reference\/errors#agent_error$/)
    const row = page.locator('tr#agent_error')
    await row.waitFor()
    expect(await row.evaluate((one) => one.getBoundingClientRect().top < innerHeight)).toBe(true)
    await page.goto('/tasks/task_none')
    await page.getByRole('link', { name: 'task_not_found' }).click()
    await page.locator('tr#task_not_found').waitFor()
  })

  it('have each code of the page of errors as a place to lead to', async () => {
    const known = [...readText('docs/reference/errors.md').matchAll(/^\| `(\w+)`/gm)].map(
      ([, code = '']) => code,
    )
    await using opened = await openPage(world.baseUrl, '/docs/reference/errors')
    const { page } = opened
    await page.locator('tr#task_not_found').waitFor()
    const ids = await page.locator('article [id]').evaluateAll((all) => all.map((one) => one.id))
    expect(known.length).toBeGreaterThan(100)
    expect(known.filter((code) => !ids.includes(code))).toEqual([])
  })
})

inBrowser('the docs without a session', () => {
  it('are read, and lead to the sign-in where an operation needs one', async () => {
    await using service = await openService({
      ACCESS_KEY: 'correct horse battery staple',
    })
    await using opened = await openPage(service.baseUrl, '/docs/api/listTasks')
    const { page } = opened
    await page.getByText('this operation needs a session').waitFor()
    await page.getByRole('region', { name: 'The call in curl' }).getByText('Bearer $TOKEN').waitFor()
    await expectSound(opened)
    await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click()
    await page.waitForURL(/\/login\?from=/)
  })
})
