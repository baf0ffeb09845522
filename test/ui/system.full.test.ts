import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { until } from '../journeys/api.ts'
import { connect } from '../journeys/client.ts'
import { moodyTask, moodyWorld } from '../journeys/moody.ts'
import { root, type Service, startService } from '../journeys/service.ts'
import { closeBrowser, hasBrowser, openPage } from './browser.ts'
import { inBrowser } from './in-browser.ts'
import { expectSound } from './sound.ts'

const world = moodyWorld()
const folder = path.join(world.env.DATA_DIR ?? '', '../memory')
/** Where the service looks for programs of agents, beside those of the system. */
const programs = path.join(world.env.DATA_DIR ?? '', '../programs')
const agents = ['moody', 'unwell'].map((name) => path.join(root, `test/fixtures/agents/${name}.ts`))
const DEPLOYING = '# Deploying\n\nDeployment <img src=x onerror=alert(1)> goes to staging first.\n'
let service: Service
let api: ReturnType<typeof connect>

const write = (text: string) => writeFileSync(path.join(folder, 'deploy.md'), text)
const open = (at: string) => openPage(service.baseUrl, at)

beforeAll(async () => {
  if (!hasBrowser) return
  mkdirSync(folder, { recursive: true })
  mkdirSync(programs)
  write(DEPLOYING)
  const env = {
    ...world.env,
    AGENT_ADAPTERS: agents.join(','),
    MEMORY_DIR: folder,
    AGENT_MAX_COST_USD: '2.5',
    PATH: `${programs}:/usr/bin:/bin`,
  }
  service = await startService({ env })
  api = connect(service.baseUrl)
  await api.perform(moodyTask('lost', { failures: 99 }))
  await api.perform(moodyTask('done'))
  await api.client.syncMemory()
  await api.client.createExperience({
    body: { type: 'task_solution', intent: 'slow tests', solution: 'warm the cache', tags: ['tests'] },
  })
})
afterAll(async () => {
  await closeBrowser()
  await service?.stop()
  world[Symbol.dispose]()
})

inBrowser('the view of the agents', () => {
  it('says how each is, how its runs ended, and what to do about one that is not well', async () => {
    await using opened = await open('/agents')
    const card = (name: string) => opened.page.getByRole('region', { name, exact: true })
    await card('Moody').getByText('Ready').waitFor()
    expect(await card('Moody').innerText()).toMatch(
      /Completed\s+1\s+Failed\s+1\s+On average\s+\d+ms\s+Cost this month\s+\$0\.00/,
    )
    expect(await card('Moody').innerText()).toMatch(/Time limit\s+5m/)
    expect(await card('Coding agent').innerText()).toMatch(/Time limit\s+1h/)
    // A circuit that is closed is no exception, nor is an agent without runs one with zeros.
    expect(await card('Moody').getByText('Circuit').count()).toBe(0)
    expect(await card('unwell').getByText('Completed').count()).toBe(0)
    expect(await card('unwell').getByRole('note').innerText()).toMatch(
      /its disk is full: run df -h\s+df -h\s+.*until you fix this/,
    )
    expect(await card('Coding agent').innerText()).toMatch(/Built in[\s\S]*Cost limit of a task\s+\$2\.50/)
    const names = await opened.page.getByRole('heading', { level: 2 }).allInnerTexts()
    expect(names).toEqual(['unwell', 'Moody', 'Coding agent', 'Not set up', 'Runners'])
    await expectSound(opened)
  })

  it('says what one that is not set up lacks, and finds a program that was installed when it is told to check', async () => {
    await using opened = await open('/agents')
    const { page } = opened
    const row = (name: string) =>
      page.getByRole('region', { name: 'Not set up' }).getByRole('listitem').filter({ hasText: name })
    await row('unset').getByText('Not set up').waitFor()
    await row('unset').getByText('it has no key').waitFor()
    await row('Codex').getByText('npm install -g @agentclientprotocol/codex-acp').waitFor()
    expect(await row('OpenCode').innerText()).toMatch(
      /Not installed[\s\S]*Then add a model key, or set ANTHROPIC_API_KEY, OPENAI_API_KEY or GOOGLE_API_KEY/,
    )
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await row('OpenCode').getByRole('button', { name: 'Copy the command' }).click()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('npm install -g opencode-ai')

    // As the form of a new task says it.
    await page.goto('/')
    const agentField = page.getByRole('group', { name: 'Agent' })
    const card = (name: string) =>
      agentField.getByRole('radio', { name: new RegExp(`^${name}`) }).locator('xpath=../..')
    await card('Coding agent').getByText('Demo model, not an AI').waitFor()
    expect(await card('Coding agent').innerText()).toMatch(/^Coding agent\s+Demo\s+Demo model, not an AI/)
    expect(await agentField.getByRole('radio', { name: /^unwell/ }).isDisabled()).toBe(true)
    expect(await card('unwell').innerText()).toMatch(/Unhealthy\s+its disk is full.*Fix it under Agents/)
    await agentField.getByText(/^Install another agent: .*OpenCode/).click()
    await agentField.getByText('npm install -g opencode-ai').waitFor()
    expect(await agentField.getByRole('radio', { name: /^OpenCode/ }).count()).toBe(0)
    await expectSound(opened)
    await page.goto('/agents')

    writeFileSync(path.join(programs, 'opencode'), '#!/bin/sh\n')
    chmodSync(path.join(programs, 'opencode'), 0o755)
    await page.getByRole('button', { name: 'Check again', exact: true }).click()
    await row('OpenCode').getByText('Needs a key').waitFor()
    expect(await row('OpenCode').innerText()).not.toContain('npm install')
    await page.goto('/')
    await card('OpenCode').getByText('Needs a key').waitFor()
    expect(await agentField.getByRole('radio', { name: /^OpenCode/ }).isDisabled()).toBe(true)
    await expectSound(opened)
    await card('OpenCode').getByRole('link', { name: 'Add its key' }).click()
    await page.getByRole('heading', { name: 'Add a key' }).waitFor()
    expect(await page.getByLabel('Provider').inputValue()).toBe('anthropic')
    await page.goto('/agents')
    await row('OpenCode').getByText('Needs a key').waitFor()
    await expectSound(opened)
  })
})

inBrowser('the view of health', () => {
  it('says what is not well though the answer is 503, and whose numbers they are', async () => {
    await using opened = await open('/agents')
    const { page } = opened
    await page.route('**/api/health/detailed', async (route) => {
      const report = await (await route.fetch()).json()
      report.components.queue.status = 'unhealthy'
      await route.fulfill({ status: 503, json: { ...report, status: 'unhealthy' } })
    })
    await page.getByRole('link', { name: 'Settings', exact: true }).click()
    await page.getByRole('link', { name: 'Health', exact: true }).click()
    await page.getByText('Tasks arrive faster than they run').waitFor()
    await page.getByText('this instance, since it started').waitFor()
    await page.locator('tbody tr').first().waitFor()
    await expectSound(opened)
  })

  it('sorts the endpoints by any column, in the address', async () => {
    await using opened = await open('/settings/health?sort=count')
    const { page } = opened
    const counts = async () => (await page.locator('tbody td:nth-child(2)').allInnerTexts()).map(Number)
    await page.locator('tbody tr').first().waitFor()
    const falling = await counts()
    expect(falling).toEqual(falling.toSorted((a, b) => b - a))
    await page.getByRole('link', { name: 'Requests' }).click()
    await page.locator('[aria-sort=ascending]').waitFor()
    expect(page.url()).toMatch(/\/settings\/health\?sort=count&order=asc$/)
    const rising = await counts()
    expect(rising).toEqual(rising.toSorted((a, b) => a - b))
    expect(rising).not.toEqual(falling)
  })
})

inBrowser('the view of memory', () => {
  it('marks what was looked for, and shows what a file says as text', async () => {
    await using opened = await open('/memory')
    const { page } = opened
    await page.getByRole('searchbox', { name: 'Search memory' }).fill('deploy')
    await page.locator('mark').first().waitFor()
    expect(await page.locator('mark').allInnerTexts()).toEqual(['Deploying'])
    expect(await page.getByRole('list', { name: 'Found' }).innerText()).not.toContain('# Deploying')
    await page.getByText('<img src=x onerror=alert(1)>').waitFor()
    expect(page.url()).toMatch(/\/memory\?q=deploy$/)
    await expectSound(opened)
  })

  it('forgets a file when that is confirmed, and takes it in anew when it changed', async () => {
    await using opened = await open('/memory')
    const { page } = opened
    await page.getByRole('button', { name: 'Remove deploy.md' }).click()
    const sure = page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true })
    await sure.waitFor()
    expect((await api.client.memoryStats()).files).toBe(1)
    await sure.click()
    await page.getByText('No files in memory').waitFor()
    write(`${DEPLOYING}\nAnd then to all.\n`)
    await page.getByRole('button', { name: 'Sync' }).click()
    await page.getByRole('link', { name: 'deploy.md' }).click()
    await page.getByText('And then to all.').waitFor()
    expect(page.url()).toMatch(/\/memory\?path=deploy\.md$/)
  })

  it('says why a chunk was found, and lists the files that are left out with the reason', async () => {
    writeFileSync(path.join(folder, 'zip.md'), 'PK\0\0')
    await api.client.syncMemory()
    await using opened = await open('/memory?q=goes+first+to+staging')
    const { page } = opened
    await page.getByTitle('goes, staging').waitFor()
    await page.getByRole('link', { name: 'Excluded 1', exact: true }).click()
    await page.getByText('zip.md').waitFor()
    await page.getByText('binary file').waitFor()
    await expectSound(opened)
  })

  it('says that a search went by words alone where a model for meanings is set, and on a phone by which words', async () => {
    await using opened = await open('/agents')
    const { page } = opened
    await page.route('**/api/memory/stats', async (route) => {
      const answer = await route.fetch()
      const json = { ...(await answer.json()), method: 'hybrid', embeddingModel: 'openai/m' }
      await route.fulfill({ response: answer, json })
    })
    await page.getByRole('navigation').first().getByRole('link', { name: 'Memory' }).click()
    const search = page.getByRole('searchbox', { name: 'Search memory' })
    await search.fill('staging')
    await page.getByRole('note').getByText('Keyword search only: openai/m').waitFor()
    await page.setViewportSize({ width: 390, height: 800 })
    await page.getByText('Found by staging').waitFor()
    await expectSound(opened)
    await search.fill('xylophone')
    await page.getByText('No matches in memory').waitFor()
    await page.getByText('Keyword search only: openai/m').waitFor()
    expect(await page.getByText('Memory uses keyword search').count()).toBe(0)
  })

  it('begins a session, warms it up and puts it aside', async () => {
    await using opened = await open('/memory?show=sessions')
    const { page } = opened
    await page.getByLabel('New session').last().fill('Deploying to staging')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('button', { name: 'Warm up Deploying to staging' }).click()
    await page.getByText('Memory is loaded. 1 chunk is relevant').waitFor()
    await expectSound(opened)
    await page.getByRole('button', { name: 'Archive Deploying to staging' }).click()
    await page.getByText('No active sessions').waitFor()
  })

  it('records an experience that a person adds', async () => {
    await using opened = await open('/memory?show=experiences')
    const { page } = opened
    await page.getByRole('button', { name: 'New experience', exact: true }).click()
    await page.getByLabel('Goal').fill('flaky journeys')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.locator('[aria-invalid=true]').first().waitFor()
    await page.getByLabel('What worked').fill('wait on conditions')
    await expectSound(opened)
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByRole('link', { name: 'flaky journeys' }).waitFor()
  })

  it('opens an experience under an address of its own', async () => {
    await using opened = await open('/memory?show=experiences')
    const { page } = opened
    await page.getByRole('link', { name: 'slow tests' }).click()
    await page.getByRole('dialog').getByText('warm the cache').waitFor()
    expect(page.url()).toMatch(/&item=exp_/)
    await expectSound(opened)
  })

  it('shows an experience that its list does not have, with the task that it is from', async () => {
    const { client, perform } = api
    await client.changeSettings({ body: { memory: { recordExperiences: true } } })
    const task = await perform(moodyTask('Paint the fence'))
    const { experiences } = await until(async () => {
      const found = await client.searchExperiences({ query: { q: 'paint the fence' } })
      return found.count > 0 ? found : undefined
    })
    await using opened = await open(`/memory?show=experiences&q=nothing&item=${experiences[0]?.id}`)
    const { page } = opened
    const dialog = page.getByRole('dialog', { name: 'Paint the fence' })
    await dialog.getByText('done by attempt 1').waitFor()
    const source = dialog.getByRole('link', { name: 'a task' })
    expect(await source.getAttribute('href')).toBe(`/tasks/${task.id}`)
    await expectSound(opened)
  })
})
