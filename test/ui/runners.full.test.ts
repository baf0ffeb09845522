import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
import { createClient } from '../../lib/api/client.ts'
import { runnerRoutes } from '../../lib/runners/contract.ts'
import { connect } from '../journeys/client.ts'
import { type OpenedService, openService } from '../journeys/opened-service.ts'
import { closeBrowser, hasBrowser, openPage } from './browser.ts'
import { inBrowser } from './in-browser.ts'
import { expectSound } from './sound.ts'

const SHARED = `${'f3'.repeat(8)}0123456789abcdef`
let service: OpenedService
let api: ReturnType<typeof connect>
beforeAll(async () => {
  if (!hasBrowser) return
  service = await openService({ WORKER: 'off', TASK_LEASE_MS: '240000', RUNNER_TOKEN: SHARED })
  api = connect(service.baseUrl)
})
afterAll(async () => {
  await Promise.all([closeBrowser(), service?.[Symbol.asyncDispose]()])
})

const open = (at: string) => openPage(service.baseUrl, at)

/** A runner as the API sees it. */
const register = async (name: string, token: string) => {
  const client = createClient(runnerRoutes, {
    baseUrl: service.baseUrl,
    headers: { authorization: `Bearer ${token}` },
  })
  const agents = [{ type: 'coding-agent' }, { type: 'painter', name: 'The painter' }]
  const facts = { version: '9.8.7', labels: ['linux', 'gpu'], agents, concurrency: 4 }
  const body = { ...facts, name, isolation: 'bubblewrap' as const }
  const { runner } = await client.registerRunner({ body })
  const claim = (running: { taskId: string; fence: number }[] = []) =>
    client.claimTask({ params: { id: runner.id }, body: { waitMs: 5_000, running } })
  /** Says what it runs, as each of its polls does. */
  const tell = (running: { taskId: string; fence: number }[]) =>
    client.claimTask.raw({ params: { id: runner.id }, body: { waitMs: 0, takes: false, running } })
  return { ...runner, claim, tell }
}

const makeRunner = async (name: string) =>
  register(name, (await api.client.createToken({ body: { name, scopes: ['runner'] } })).token)

const row = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Runners' }).getByRole('listitem').filter({ hasText: name })

inBrowser('a service that runs no task itself, without a runner', () => {
  it('says on the overview and in the form of a new task what to do, and ends that with the first runner', async () => {
    await using opened = await open('/tasks/overview')
    const { page } = opened
    const hint = page.getByRole('region', { name: 'No task can run' })
    await hint.getByText('The service does not run tasks (WORKER=off)').waitFor()
    await hint.getByText(`--url ${service.baseUrl} --name build-1`).waitFor()
    await page.getByText('Runners take the tasks').waitFor()
    await expectSound(opened)
    await page.keyboard.press('c')
    const form = page.getByRole('dialog', { name: 'Create task' })
    await form.getByRole('note').getByText('The task waits until this is fixed').waitFor()
    await expectSound(opened)
    await form.getByRole('link', { name: 'What to do' }).click()
    await page.getByText('No runners yet').waitFor()
    await expectSound(opened)

    await page.goto('/tasks/overview')
    await hint.waitFor()
    const runner = await makeRunner('the first')
    await hint.waitFor({ state: 'detached' })
    await api.client.drainRunner({ params: { id: runner.id }, body: {} })
    await hint.getByRole('link', { name: 'See the runner' }).waitFor()
    await api.client.removeRunner({ params: { id: runner.id } })
    await hint.getByText('Start a runner:').waitFor()
  })
})

inBrowser('the token of a runner', () => {
  it('is shown once with the command that starts it', async () => {
    await using opened = await open('/settings/tokens')
    const { page, context } = opened
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByLabel('Name').fill("ann's laptop")
    await page.getByRole('checkbox', { name: /^Gateway/ }).uncheck()
    await page.getByRole('checkbox', { name: /^Runner/ }).check()
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.getByText('Start the runner on its machine').waitFor()
    await expectSound(opened)
    await page.getByRole('button', { name: 'Copy the command' }).click()
    const command = await page.evaluate(() => navigator.clipboard.readText())
    const [, token = ''] = /^RUNNER_TOKEN=(svc_\w+) npx agent-tasks runner/.exec(command) ?? []
    expect(command).toContain(`--url ${service.baseUrl} --name 'ann'\\''s laptop'`)
    const runner = await register("ann's laptop", token)
    await page.reload()
    await page.getByRole('listitem').filter({ hasText: "runner ann's laptop" }).waitFor()
    await api.client.removeRunner({ params: { id: runner.id } })
  })

  it.each(['gateway', 'webhooks'] as const)('is told apart from one of the scope %s', async (scope) => {
    await using opened = await open('/settings/tokens')
    const { page } = opened
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByLabel('Name').fill(scope)
    await page.getByRole('checkbox', { name: /^Gateway/ }).setChecked(scope === 'gateway')
    await page.getByRole('checkbox', { name: /^Webhooks/ }).setChecked(scope === 'webhooks')
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.getByText('Copy it now.').waitFor()
    expect(await page.getByText('npx agent-tasks runner').count()).toBe(0)
  })
})

inBrowser('the runners', () => {
  it('are listed with what they can and what they run, and their tasks and agents name them', async () => {
    await using opened = await open('/agents')
    const { page } = opened
    await page.getByText('No runners yet').waitFor()
    const runner = await makeRunner('build-1')
    await row(page, 'build-1').getByText('Online').waitFor()
    expect(await row(page, 'build-1').innerText()).toMatch(
      /linux\s+gpu\s+coding-agent, The painter\s+bubblewrap sandbox\s+version 9\.8\.7\s+seen just now\s+0 of 4 running/,
    )
    const card = (name: string) => page.getByRole('region', { name, exact: true })
    await card('The painter').getByText('on 1 of 1 runner, 0 of 4 running').waitFor()
    await card('The painter').getByText('Runners only').waitFor()
    await card('Coding agent').getByText('on 1 of 1 runner, 0 of 4 running').waitFor()

    await page.keyboard.press('c')
    const form = page.getByRole('dialog', { name: 'Create task' })
    await form.getByLabel('Prompt').fill('Paint it')
    await form.getByText('More', { exact: true }).click()
    await form.getByLabel('Runs on').fill('gpu, linux')
    await form.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { level: 1, name: 'Paint it' }).waitFor()
    const { claim } = await runner.claim()
    expect(claim?.task).toMatchObject({ title: 'Paint it', runsOn: ['gpu', 'linux'] })
    await page.getByLabel('Summary').getByText('Runs on').waitFor()
    await page.getByRole('link', { name: 'Input' }).click()
    await page.getByText('Runner', { exact: true }).waitFor()
    await expectSound(opened)

    await runner.tell([{ taskId: claim?.task.id ?? '', fence: 1 }])
    await page.getByLabel('Summary').getByRole('link', { name: 'build-1' }).click()
    await row(page, 'build-1').getByText('1 of 4 running').waitFor()
    const drained = await makeRunner('build-0')
    await api.client.drainRunner({ params: { id: drained.id }, body: {} })
    await card('The painter').getByText('on 1 of 2 runners, 1 of 4 running').waitFor()
    await api.client.removeRunner({ params: { id: drained.id } })
    await expectSound(opened)
    await row(page, 'build-1').getByRole('link', { name: 'Paint it' }).click()
    await page.getByRole('heading', { level: 1, name: 'Paint it' }).waitFor()
  })

  it('are drained, take tasks again and are removed, with what that does said before', async () => {
    const { id } = await makeRunner('build-2')
    const status = async () => (await api.client.listRunners()).runners.find((one) => one.id === id)?.status
    await using opened = await open('/agents')
    const { page } = opened
    await page.getByRole('button', { name: 'Drain build-2' }).click()
    await row(page, 'build-2').getByText('Drained').waitFor()
    expect(await status()).toBe('draining')
    await page.getByRole('button', { name: 'Resume build-2' }).click()
    await row(page, 'build-2').getByText('Online').waitFor()
    expect(await status()).toBe('online')
    await page.getByRole('button', { name: 'Remove build-2' }).click()
    const dialog = page.getByRole('dialog', { name: 'Remove build-2' })
    await dialog.getByText('Its API token is revoked').waitFor()
    expect(await status()).toBe('online')
    await expectSound(opened)
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await row(page, 'build-2').waitFor({ state: 'detached' })
    expect(await status()).toBeUndefined()
  })

  it('stay as removed where others have their token too, until they are allowed again', async () => {
    await register('pod-1', SHARED)
    await using opened = await open('/agents')
    const { page } = opened
    await page.getByRole('button', { name: 'Remove pod-1' }).click()
    const dialog = page.getByRole('dialog', { name: 'Remove pod-1' })
    await dialog.getByText('It is rejected until you allow it again').waitFor()
    await dialog.getByRole('button', { name: 'Remove', exact: true }).click()
    await row(page, 'pod-1').getByText('Removed').waitFor()
    await expect(register('pod-1', SHARED)).rejects.toMatchObject({ code: 'runner_removed' })
    await expectSound(opened)
    await page.getByRole('button', { name: 'Allow pod-1 again' }).click()
    await row(page, 'pod-1').getByText('Online').waitFor()
    await register('pod-1', SHARED)
  })

  it('are shown as offline with when they were heard of last, and to users without what only admins may do', async () => {
    await makeRunner('build-3')
    const resting = await makeRunner('build-4')
    await api.client.drainRunner({ params: { id: resting.id }, body: {} })
    await using opened = await open('/theme.js')
    const { page } = opened
    await page.route('**/api/runners', async (route) => {
      const answer = await route.fetch()
      const { runners, total } = await answer.json()
      const lastSeenAt = new Date(Date.now() - 7_200_000).toISOString()
      const away = runners.map((one: object) => ({ ...one, status: 'offline', lastSeenAt }))
      await route.fulfill({ response: answer, json: { runners: away, total } })
    })
    await page.route('**/api/auth/me', async (route) => {
      const answer = await route.fetch()
      const { user, ...me } = await answer.json()
      await route.fulfill({ response: answer, json: { ...me, user: { ...user, role: 'user' } } })
    })
    await page.goto('/agents')
    await row(page, 'build-3').getByText('Offline').waitFor()
    await row(page, 'build-3').getByText('2h ago').waitFor()
    await row(page, 'build-4').getByText('Drained').waitFor()
    expect(await row(page, 'build-3').getByRole('button').count()).toBe(0)
    expect(await row(page, 'build-3').innerText()).not.toContain('running')
    await expectSound(opened)
  })

  it('are in the health of the service, which names those that are offline and were not drained', async () => {
    await using opened = await open('/theme.js')
    const { page } = opened
    await page.route('**/api/health/detailed', async (route) => {
      const report = await (await route.fetch()).json()
      const { runners } = report.components.runners
      runners.push({ ...runners[0], name: 'mac-mini', status: 'offline', drained: false })
      runners.push({ ...runners[0], name: 'attic', status: 'offline', drained: true })
      await route.fulfill({ json: report })
    })
    await page.goto('/settings/health')
    const part = page.getByRole('region', { name: 'Runners', exact: true })
    await part.getByText(/of \d runners take tasks/).waitFor()
    expect(await part.getByRole('listitem').first().innerText()).toMatch(
      /build-\d\s+\w+\s+coding-agent, painter\s+linux, gpu\s+bubblewrap sandbox/,
    )
    await part.getByText('1 offline').waitFor()
    expect(await part.getByRole('listitem').filter({ hasText: 'attic' }).innerText()).toContain('Drained')
    const problems = page.getByRole('list', { name: 'Problems' })
    await problems.getByText('mac-mini is offline.').waitFor()
    await expectSound(opened)
    await problems.getByRole('link', { name: 'Runners' }).click()
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor()
    // The page reads its health anew from time to time.
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })
})
