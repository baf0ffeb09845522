import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { connect } from '../journeys/client.ts'
import { moodyTask, moodyWorld } from '../journeys/moody.ts'
import { type Service, startService } from '../journeys/service.ts'
import { closeBrowser, openPage } from './browser.ts'
import { inBrowser } from './in-browser.ts'
import { expectFitsPhone, expectSound } from './sound.ts'

const CAUSE = 'not in the mood for attempt 3'
const world = moodyWorld()
let service: Service
let api: ReturnType<typeof connect>

const statuses = async () =>
  (await api.client.listTasks({ query: {} })).tasks.map(({ status }) => status).toSorted()

inBrowser('the view of failures', () => {
  beforeAll(async () => {
    service = await startService({ env: world.env })
    api = connect(service.baseUrl)
    for (const title of ['import', 'refactor', 'translate'])
      await api.perform(moodyTask(title, { failures: 99 }))
  })
  afterAll(async () => {
    await closeBrowser()
    await service.stop()
    world[Symbol.dispose]()
  })

  it('groups what failed, leads to its dead letters, and mutes it', async () => {
    await using opened = await openPage(service.baseUrl, '/tasks/failures')
    const { page } = opened
    const group = page.getByRole('listitem', { name: CAUSE })
    await group.getByText('3 pending').waitFor()
    expect(await group.getByRole('img').getAttribute('aria-label')).toMatch(/^Failures over time: (0, )+3$/)
    await expectSound(opened)
    await expectFitsPhone(page)
    await group.getByRole('button', { name: 'Mute' }).click()
    await group.getByText('Muted').waitFor()
    expect((await api.client.listFailures()).failures).toMatchObject([{ count: 3, muted: true }])
    await group.getByRole('button', { name: 'Unmute' }).click()
    await group.getByRole('button', { name: 'Mute' }).waitFor()
    await page.getByRole('link', { name: '24h' }).click()
    await page.waitForURL('**/failures?since=24h')
    await group.getByRole('link', { name: CAUSE }).click()
    await page.waitForURL(/\/tasks\/queue\?status=all&fingerprint=[0-9a-f]{16}$/)
    await page.getByRole('row', { name: /translate/ }).waitFor()
    expect(await page.getByRole('row').count()).toBe(4)
    await expectSound(opened)
    await page.getByRole('link', { name: 'One cause' }).click()
    await page.waitForURL('**/tasks/queue?status=all')
  })

  it('says of a retry of all that its tasks failed again, on its dialog and at its address', async () => {
    await using opened = await openPage(service.baseUrl, '/tasks/failures')
    const { page } = opened
    const group = page.getByRole('listitem', { name: CAUSE })
    await group.waitFor()
    for (const key of ['j', 'x']) await page.keyboard.press(key)
    await page.getByRole('status').getByText('1 selected').waitFor()
    await page.keyboard.press('r')
    const asked = page.getByRole('dialog', { name: 'Retry 3 dead letters?' })
    await asked.getByRole('button', { name: 'Retry 3' }).click()
    const dialog = page.getByRole('dialog', { name: 'Retry dead letters' })
    await dialog.getByText('0 completed, 3 failed again', { exact: true }).waitFor()
    await dialog.getByRole('link', { name: 'Open the job' }).click()
    await page.waitForURL('**/tasks/bulk/bulk_*')
    await page.getByText('Failed', { exact: true }).waitFor()
    await expectSound(opened)
    await expectFitsPhone(page)
    await page.getByRole('link', { name: 'See why' }).click()
    await group.getByText('3 pending').waitFor()
  })

  it('tries one, then retries the others once the cause is gone', async () => {
    await using opened = await openPage(service.baseUrl, '/tasks/failures')
    const { page } = opened
    const group = page.getByRole('listitem', { name: CAUSE })
    await group.getByRole('button', { name: 'Retry one' }).click()
    const one = page.getByRole('dialog', { name: 'Retry one task' })
    await one.getByText(/^(import|refactor|translate)$/).waitFor()
    await one.getByRole('button', { name: 'Retry' }).click()
    const followed = page.getByRole('dialog', { name: 'Retrying one task' })
    await followed.getByText('It failed again: not in the mood').waitFor()
    expect(await followed.getByRole('button', { name: /^Retry/ }).count()).toBe(0)
    await followed.getByRole('button', { name: 'Done' }).click()
    world.cure()
    await group.getByText('3 pending').waitFor()
    await group.getByRole('button', { name: 'Retry one' }).click()
    await one.getByRole('button', { name: 'Retry' }).click()
    await followed.getByText('It completed. The cause seems to be fixed.').waitFor()
    await followed.getByRole('button', { name: 'Retry the other 2' }).click()
    await page
      .getByRole('dialog', { name: 'Retry 2 dead letters?' })
      .getByRole('button', { name: 'Retry 2' })
      .click()
    await page.getByText('2 completed', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await group.getByText('none pending').waitFor()
    expect(await group.getByRole('button', { name: 'Retry all' }).isDisabled()).toBe(true)
    await page.waitForFunction(async () => {
      const { tasks } = await (await fetch('/api/tasks?status=completed')).json()
      return tasks.length === 3
    })
    expect(await statuses()).toEqual(['completed', 'completed', 'completed'])
  })
})
