import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { cronInWords } from '../../functions/ui/app/views/schedules/cron-words.ts'
import { readRepeat, repeatInWords, writeRepeat } from '../../functions/ui/app/views/schedules/repeat.ts'
import { scheduleChange, taskTexts } from '../../functions/ui/app/views/schedules/schedule-texts.ts'
import { apiError } from '../journeys/client.ts'
import { closeBrowser, hasBrowser, openPage } from './browser.ts'
import { inBrowser } from './in-browser.ts'
import { expectSound } from './sound.ts'
import { startWorld, type World } from './world.ts'

describe('a pattern in words', () => {
  it.each([
    ['*/10 * * * *', 'Every 10 minutes'],
    ['*/15 8-18 * * MON-FRI', 'Every 15 minutes, between 08:00 and 18:59, Monday through Friday'],
    ['0 17,9 * * *', 'At 09:00 and 17:00'],
    ['0 9 * * MON#1', 'At 09:00, on the first Monday of the month'],
    [' @yearly ', 'At 00:00, on day 1 of the month, only in January'],
  ])('%s is: %s', (cron, words) => {
    expect(cronInWords(cron)).toBe(words)
  })

  it.each([
    ['of uneven steps', '*/7 * * * *'],
    ['of both kinds of days', '0 0 1 * MON'],
    ['with a number that is none', '60 25 * * *'],
    ['that is not whole', '0 9 *'],
    ['with seconds', '0 0 9 * * *'],
    ['that no schedule has', '@reboot'],
    ['with a day that is none', '0 9 * * *?'],
  ])('is left as it is when it is one %s', (_what, cron) => {
    expect(cronInWords(cron)).toBeUndefined()
  })
})

describe('a pattern as a choice', () => {
  it.each([
    ['0 * * * *', 'Every hour'],
    ['30 2 * * *', 'Every day at 02:30'],
    ['0 9 * * MON-FRI', 'Every weekday at 09:00'],
    ['30 6 * * MON', 'Every Monday at 06:30'],
    ['0 22 1 * *', 'Day 1 of every month at 22:00'],
  ])('%s is: %s', (cron, words) => {
    const repeat = readRepeat(cron)
    expect(repeat && writeRepeat(repeat)).toBe(cron)
    expect(repeatInWords(cron)).toBe(words)
  })

  it('is read in other spellings', () => {
    expect(readRepeat('00 09 * * 1-5')).toEqual({ kind: 'weekdays', time: '09:00' })
    expect(readRepeat('0 9 * * 7')).toEqual({ kind: 'week', time: '09:00', weekday: 'SUN' })
  })

  it.each(['15 * * * *', '0 9,17 * * *', '0 9 1 1 *', '0 9 1 * MON', '0 9 * * MON#1', '@daily', ''])(
    'is none of them: %s',
    (cron) => {
      expect(readRepeat(cron)).toBeUndefined()
    },
  )
})

describe('what a form changes of a schedule', () => {
  const task = {
    title: 'Look',
    prompt: 'Around',
    priority: 2 as const,
    source: 'trackera' as const,
    labels: ['a', 'b'],
    metadata: { mine: 1 },
    description: 'Long',
  }
  const schedule = {
    id: 'sched_1',
    name: 'Nightly',
    cron: '0 0 * * *',
    timezone: 'UTC',
    enabled: true,
    task,
    createdAt: '',
    updatedAt: '',
    createdBy: 'ann',
    runsAs: 'ann',
  }
  const typed = { name: 'Nightly', cron: '0 0 * * *', timezone: 'UTC', ...taskTexts(task) }

  it('is what was typed anew, and fields of the task that the form does not have stay', () => {
    expect(scheduleChange(schedule, typed)).toEqual({})
    expect(scheduleChange(schedule, { ...typed, cron: ' 0 1 * * * ' })).toEqual({ cron: '0 1 * * *' })
    const { prompt: _gone, ...rest } = task
    expect(scheduleChange(schedule, { ...typed, prompt: '', labels: 'b, c' })).toEqual({
      task: { ...rest, labels: ['b', 'c'] },
    })
    expect(scheduleChange(schedule, { ...typed, securityMode: 'ask', timeoutMs: '30m' })).toEqual({
      task: { ...task, timeoutMs: 1_800_000, metadata: { mine: 1, securityMode: 'ask' } },
    })
  })
})

let world: World
beforeAll(async () => {
  if (!hasBrowser) return
  world = await startWorld()
})
afterAll(async () => {
  await closeBrowser()
  await world?.stop()
})

const newest = async () => (await world.client.listSchedules({})).schedules[0]
const NIGHTLY = { cron: '30 2 * * *', timezone: 'Europe/Vienna', task: { title: 'Update' } }

inBrowser('the schedules', () => {
  it('begin with a command, and are made in a form that says what a pattern means and when that is', async () => {
    await using opened = await openPage(world.baseUrl, '/tasks/overview', { timezoneId: 'America/New_York' })
    const { page } = opened
    await page.getByText('Success rate').first().waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('e')
    await page.getByText('No schedules yet').waitFor()
    await page.getByText('From a script').click()
    await page.getByText('/api/schedules').waitFor()
    await page.getByRole('button', { name: 'New schedule' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'New schedule' })
    expect(await dialog.getByLabel('Time zone').inputValue()).toBe('America/New_York')
    const repeat = dialog.getByLabel('Repeat')
    expect(await repeat.locator('option:checked').innerText()).toBe('Every weekday')
    await repeat.selectOption('Every week')
    await dialog.getByRole('combobox', { name: 'Day', exact: true }).selectOption('Friday')
    await dialog.getByLabel('At', { exact: true }).fill('16:45')
    expect(await dialog.locator('[name=cron]').inputValue()).toBe('45 16 * * FRI')
    await repeat.selectOption('Custom (cron)')
    expect(await dialog.getByLabel('Pattern').inputValue()).toBe('45 16 * * FRI')
    await dialog.getByLabel('Time zone').fill('vienna')
    await dialog.getByLabel('Pattern').fill('30 2 31 2 *')
    await dialog.getByText('never runs').waitFor()
    expect(await dialog.getByLabel('Time zone').inputValue()).toBe('Europe/Vienna')
    await dialog.getByLabel('Pattern').fill('30 2 * * MON-FRI')
    await dialog.getByText('At 02:30, Monday through Friday').waitFor()
    const due = dialog.getByRole('list', { name: 'Next runs' }).getByRole('listitem')
    await due.first().waitFor()
    const dueTexts = await due.allInnerTexts()
    expect(dueTexts).toHaveLength(5)
    expect(dueTexts.filter((time) => !/^(?:Mon|Tue|Wed|Thu|Fri)\b.* 02:30\b/.test(time))).toEqual([])
    await expectSound(opened)
    await page.setViewportSize({ width: 1280, height: 800 })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Nightly')
    await dialog.getByLabel('Repository').fill('https://127.0.0.1/x.git')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText('Enter what the agent should do.').waitFor()
    await dialog.getByLabel('Prompt').fill('Update the dependencies')
    await dialog.getByText('title, priority, limits').click()
    await dialog.getByRole('combobox', { name: 'Mode', exact: true }).selectOption('Read only')
    await dialog.locator('[name=timeoutMs]').fill('30m')
    await dialog.getByLabel('Labels').fill('deps, night')
    await page.keyboard.press('Enter')
    await dialog.locator('[name=repository][aria-invalid=true]').waitFor()
    await dialog.getByLabel('Repository').fill('')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    const row = page.getByRole('listitem').filter({ hasText: 'Nightly' })
    await row.getByText('Every weekday at 02:30 in Vienna').waitFor()
    await row.getByText(/^\w{3}\b.* 02:30 in \d+[dhm]$/).waitFor()
    const { id = '', nextRunAt } = (await newest()) ?? {}
    const { schedule, nextRuns } = await world.client.getSchedule({ params: { id } })
    expect(schedule).toMatchObject({
      cron: '30 2 * * MON-FRI',
      timezone: 'Europe/Vienna',
      enabled: true,
      task: {
        title: 'Update the dependencies',
        prompt: 'Update the dependencies',
        labels: ['deps', 'night'],
        timeoutMs: 1_800_000,
        metadata: { securityMode: 'sandbox' },
      },
    })
    expect(nextRuns[0]).toBe(nextRunAt)
    await expectSound(opened)
  })

  it('are run by hand with a way to the task, paused, gone on with, changed and deleted', async () => {
    const { schedule } = await world.client.createSchedule({
      body: {
        name: 'By hand',
        ...NIGHTLY,
        task: { ...NIGHTLY.task, prompt: 'Long', metadata: { runMs: 1 } },
      },
    })
    await using opened = await openPage(world.baseUrl, '/schedules')
    const { page } = opened
    const row = page.getByRole('listitem').filter({ hasText: 'By hand' })
    const act = async (verb: string, name = 'By hand') => {
      await page.getByRole('button', { name: `More for ${name}` }).click()
      await page
        .getByRole('dialog', { name: `More for ${name}` })
        .getByRole('button', { name: verb })
        .click()
    }
    await row.getByText('–', { exact: true }).waitFor()
    await act('Run now')
    await row.getByRole('link', { name: 'Last run of By hand Completed' }).waitFor()
    const { lastTaskId } = (await newest()) ?? {}
    const ways = await row.locator('a[href^="/tasks/"]').all()
    for (const way of ways) expect(await way.getAttribute('href')).toBe(`/tasks/${lastTaskId}`)
    expect(ways).toHaveLength(1)

    const active = row.getByRole('switch', { name: 'Active: By hand' })
    await active.click()
    await row.getByText('Paused').waitFor()
    expect(await active.getAttribute('aria-checked')).toBe('false')
    await expectSound(opened)
    await page.setViewportSize({ width: 1280, height: 800 })
    await active.click()
    await row.getByText(/02:30 in \d+[dhm]$/).waitFor()

    await row.getByRole('link', { name: 'By hand', exact: true }).click()
    expect(new URL(page.url()).searchParams.get('schedule')).toBe(schedule.id)
    await page.reload()
    const dialog = page.getByRole('dialog', { name: 'By hand' })
    expect(await dialog.getByLabel('Prompt').inputValue()).toBe('Long')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Renamed')
    // Saving does not undo concurrent changes of others.
    await world.client.changeSchedule({ params: { id: schedule.id }, body: { cron: '0 3 * * *' } })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await act('Delete', 'Renamed')
    const { schedule: changed } = await world.client.getSchedule({ params: { id: schedule.id } })
    expect(changed).toMatchObject({
      name: 'Renamed',
      cron: '0 3 * * *',
      task: { prompt: 'Long', metadata: { runMs: 1 } },
    })
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog', { name: 'Delete Renamed' }).waitFor({ state: 'detached' })
    const gone = world.client.getSchedule({ params: { id: schedule.id } })
    expect(await apiError(gone)).toMatchObject({ code: 'schedule_not_found' })
    await page.goto(`/schedules?schedule=${schedule.id}`)
    await page.getByRole('dialog').getByRole('alert').waitFor()
    expect(opened.faults).toEqual([])
  })

  it('say why no task was made at a due time', async () => {
    await using opened = await openPage(world.baseUrl, '/schedules')
    const { page } = opened
    const lastError = { code: 'agent_unknown', message: 'No such agent: gone' }
    await page.route('**/api/schedules?*', async (route) => {
      const answer = await route.fetch()
      const { schedules, ...rest } = await answer.json()
      await route.fulfill({
        json: { ...rest, schedules: schedules.map((one: object) => ({ ...one, lastError })) },
      })
    })
    await page.reload()
    await page.getByText('No such agent: gone (agent_unknown)').first().waitFor()
    await expectSound(opened)
  })
})
