import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { until } from '../journeys/api.ts'
import { closeBrowser, hasBrowser, openPage } from './browser.ts'
import { inBrowser } from './in-browser.ts'
import { startWorld, type World } from './world.ts'

// What visitors do and meet beside the main journeys (journey.test.ts).
let world: World
beforeAll(async () => {
  if (hasBrowser) world = await startWorld()
})
afterAll(async () => {
  await closeBrowser()
  await world?.stop()
})

inBrowser('a visitor who opens the page', () => {
  it('can install the page', async () => {
    await using opened = await openPage(world.baseUrl, '/')
    const devtools = await opened.context.newCDPSession(opened.page)
    const { data = '', errors } = await devtools.send('Page.getAppManifest')
    expect(errors).toEqual([])
    expect(JSON.parse(data)).toMatchObject({ name: 'Agent Tasks', display: 'standalone', start_url: '/' })
    const icons: { src: string; sizes: string; type: string }[] = JSON.parse(data).icons
    const loaded = await opened.page.evaluate(
      (sources) =>
        Promise.all(
          sources.map(async (source) => {
            const image = new Image()
            image.src = source
            await image.decode()
            return `${image.naturalWidth}x${image.naturalHeight}`
          }),
        ),
      icons.filter(({ type }) => type === 'image/png').map(({ src }) => src),
    )
    expect(loaded).toEqual(['512x512', '512x512'])
    expect(opened.faults).toEqual([])
  })

  it('does not lose a form that is filled in to a key, a click beside it or Back', async () => {
    await using opened = await openPage(world.baseUrl, '/tasks/overview')
    const { page } = opened
    await page.getByRole('link', { name: 'Tasks', exact: true }).click()
    await page.getByRole('heading', { name: 'Tasks' }).waitFor()
    const dialog = page.getByRole('dialog', { name: 'Create task' })
    const prompt = dialog.getByLabel('Prompt')
    await page.keyboard.press('c')
    await prompt.fill('Kept')
    await page.keyboard.press('Control+k')
    expect(await prompt.inputValue()).toBe('Kept')
    await page.mouse.click(5, 790)
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('c')
    expect(await prompt.inputValue()).toBe('Kept')
    await page.goBack()
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('c')
    expect(await prompt.inputValue()).toBe('Kept')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('c')
    expect(await prompt.inputValue()).toBe('')
  })

  it('is told by the service what is wrong with a form, at the field', async () => {
    await using opened = await openPage(world.baseUrl, '/tasks')
    const { page } = opened
    await page.getByRole('button', { name: 'New task' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Create task' })
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText('Enter what the agent should do.').waitFor()
    expect(await dialog.getByLabel('Prompt').getAttribute('aria-invalid')).toBe('true')
    await dialog.getByLabel('Prompt').fill('Do it')
    await dialog.getByText('More', { exact: true }).click()
    await dialog.getByLabel('Source link').fill('javascript:alert(1)')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText('must be an http or https URL').waitFor()
    expect(await dialog.getByLabel('Source link').getAttribute('aria-invalid')).toBe('true')
  })

  it('is told that there is no such task, and what that may mean', async () => {
    await using opened = await openPage(world.baseUrl, '/tasks/task_none')
    await opened.page.getByRole('alert').getByText('the address is wrong').waitFor()
    expect(await opened.page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    await opened.page.getByRole('link', { name: 'All tasks' }).last().click()
    await opened.page.waitForURL(/\/tasks$/)
  })

  it('asks once for a task that there is not', async () => {
    await using opened = await openPage(world.baseUrl, '/theme.js')
    const { page } = opened
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await page.clock.install()
    await page.goto('/tasks/task_none')
    await page.getByRole('alert').waitFor()
    await until(() => asked.find((path) => path === '/api/inbox'))
    await page.clock.runFor(30_000)
    expect(asked.filter((path) => path === '/api/tasks/task_none')).toHaveLength(1)
  })
})

inBrowser('a browser that stores nothing', () => {
  it('shows the page', async () => {
    await using opened = await openPage(world.baseUrl, '/theme.js')
    const { page, faults } = opened
    await page.addInitScript(() => {
      const denied = () => {
        throw new DOMException('Denied', 'SecurityError')
      }
      for (const name of ['localStorage', 'sessionStorage'])
        Object.defineProperty(window, name, { get: denied })
    })
    await page.goto('/tasks/overview')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(faults).toEqual([])
  })
})

inBrowser('the connection', () => {
  it('that is lost takes the page from no user who points at a link, or follows one', async () => {
    await using opened = await openPage(world.baseUrl, '/tasks')
    const { page, context } = opened
    const views = page.getByRole('navigation').first()
    await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor()
    await context.setOffline(true)
    await page.getByText('Connection to the service lost.').waitFor()
    await views.getByRole('link', { name: 'Memory' }).hover()
    await views.getByRole('link', { name: 'Agents' }).click()
    await page.getByRole('heading', { name: 'This view is not loaded yet' }).waitFor()
    await context.setOffline(false)
    await page.getByText('Connection to the service lost.').waitFor({ state: 'detached' })
    await views.getByRole('link', { name: 'Memory' }).click()
    await page.getByRole('heading', { name: 'Memory', level: 1 }).waitFor()
    expect(page.url()).toBe(`${world.baseUrl}/memory`)
  })

  it('of a visitor without a session leads to the sign-in', async () => {
    await using opened = await openPage(world.baseUrl, '/theme.js')
    const { page } = opened
    const refused = { status: 401, contentType: 'application/json', body: '{"error":"Sign in first"}' }
    await page.route('**/api/**', (route) => route.fulfill(refused))
    await page.goto('/tasks')
    await page.waitForURL(/\/login\?from=/)
    expect(new URL(page.url()).searchParams.get('from')).toBe('/tasks')
  })
})
