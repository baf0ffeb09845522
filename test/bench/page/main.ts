import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { createClient } from '../../../lib/api/client.ts'
import { routes } from '../../../lib/api/routes.ts'
import { finishedTasks } from '../../fixtures/finished-tasks.ts'
import { closeBrowser, hasBrowser, launchBrowser, openPage } from '../../ui/browser.ts'
import { repository } from '../paths.ts'
import { median, quantile } from '../quantile.ts'
import { atMost, type Row } from '../row.ts'
import { startService } from '../service.ts'
import { table } from '../table.ts'
import { hostilePlaces } from './hostile-places.ts'
import { hostileMarkdown } from './markdown.ts'

/**
 * The page in Chromium, of a service in mode `mini`: `npm run bench:page`, after `npm run page`. Service, browser and this program
 * share one machine. It exits 1 when a limit is missed. `-- log list` measures a part: `load`, `change`, `log`, `list`, `markdown`, `places`; and
 * `pro`, which is left out unless it is named: `change` in mode `pro`, through the offline stack and its emulators.
 */
const MOST_FIRST_LOAD = 200_000
const MOST_CHANGE_MS = 250
/** The change feed, which the page follows, is polled there. */
const MOST_CHANGE_PRO_MS = 2_000
/** Two frames of 60 a second: one may be late. */
const MOST_FRAME_MS = 34
const MOST_JUMP_MS = 100
const MOST_OPEN_MS = 2_000
const ROWS = 10_000
const LINES = 10_000
/** An attempt may say 1,000 lines. */
const ATTEMPTS = 10
const CHANGES = 20
const FRAMES = 300
/** A frame of a wheel that is turned fast: 7,200 pixels a second. */
const STEP_PX = 120
const JUMPS = 30

const settings = {
  AGENT_ADAPTERS: join(repository, 'test/fixtures/agents/moody.ts'),
  DEFAULT_AGENT: 'moody',
  QUEUE_RETRY_ATTEMPTS: String(ATTEMPTS),
  QUEUE_RETRY_BACKOFF_MS: '1',
}
const typedClient = (baseUrl: string) => createClient(routes, { baseUrl })
type Client = ReturnType<typeof typedClient>
type World = { baseUrl: string; client: Client }

/** So long after another change the second one comes. */
const SOON_MS = 250

const limited = (measure: string, unit: string, values: readonly number[], q: number, limit: number): Row =>
  atMost(1, { measure, unit, ours: quantile(values, q), against: limit, opponent: 'limit' })

/** Asks until there is an answer. Throws after a minute. */
const until = async <T>(probe: () => Promise<T | undefined>): Promise<T> => {
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(50)) {
    const found = await probe()
    if (found !== undefined) return found
  }
  throw new Error('Nothing that was waited for came within a minute')
}

/** Page, scripts, style and data that came until the overview shows its figures, heads of answers included. */
const firstLoad = async ({ baseUrl }: World): Promise<Row[]> => {
  await using opened = await openPage(baseUrl, '/theme.js')
  const { page, context } = opened
  const session = await context.newCDPSession(page)
  await session.send('Network.enable')
  const askedAt = new Map<string, number>()
  const loaded: { askedAt: number; bytes: number }[] = []
  session.on('Network.requestWillBeSent', ({ requestId, wallTime }) =>
    askedAt.set(requestId, wallTime * 1_000),
  )
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength: bytes }) => {
    loaded.push({ askedAt: askedAt.get(requestId) ?? 0, bytes })
  })
  await page.goto('/tasks/overview', { waitUntil: 'commit' })
  const shownAt = await page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const look = () => {
          const figures = [...document.querySelectorAll('dl')].find(({ textContent }) =>
            /Success rate.*–/.test(textContent),
          )
          if (figures) resolve(Date.now())
          else requestAnimationFrame(look)
        }
        look()
      }),
  )
  await sleep(5_000)
  const kiloBytes = (until: number) =>
    loaded.filter((one) => one.askedAt <= until).reduce((sum, { bytes }) => sum + bytes, 0) / 1_000
  console.error(
    `${Math.round(kiloBytes(Infinity))} kB with the plot and what is fetched ahead for what is opened next`,
  )
  const shown = [kiloBytes(shownAt)]
  return [limited('overview until its figures show, compressed', 'kB', shown, 1, MOST_FIRST_LOAD / 1_000)]
}

/** From before a cancel is sent to the frame in which the list has it. */
const changeWithin =
  (mostMs: number) =>
  async ({ baseUrl, client }: World): Promise<Row[]> => {
    await using opened = await openPage(baseUrl, '/tasks')
    const { page } = opened
    const took: number[] = []
    for (let n = 0; n < CHANGES; n += 1) {
      const body = { title: `Change ${n}.`, metadata: { runMs: 600_000 } }
      const { id } = (await client.createTask({ body })).task
      const row = page.getByRole('row').filter({ hasText: body.title })
      await row.getByText('Running', { exact: true }).waitFor()
      const seen = row.evaluateHandle((element) => ({
        at: new Promise<number>((resolve) => {
          const look = () => {
            if (element.textContent?.includes('Cancelled')) resolve(Date.now())
            else requestAnimationFrame(look)
          }
          look()
        }),
      }))
      const watched = await seen
      const sentAt = Date.now()
      await client.cancelTask({ params: { id } })
      took.push((await watched.evaluate(({ at }) => at)) - sentAt)
    }
    const second: number[] = []
    for (let n = 0; n < CHANGES; n += 1) {
      await sleep(2_000)
      await client.createTask({ body: { title: `Before ${n}.` } })
      await sleep(SOON_MS)
      const title = `After ${n}.`
      const watched = await page.evaluateHandle(
        (text) => ({
          at: new Promise<number>((resolve) => {
            const look = () => {
              if (document.querySelector('tbody')?.textContent?.includes(text)) resolve(Date.now())
              else requestAnimationFrame(look)
            }
            look()
          }),
        }),
        title,
      )
      const sentAt = Date.now()
      await client.createTask({ body: { title } })
      second.push((await watched.evaluate(({ at }) => at)) - sentAt)
    }
    return [
      limited('a cancel, until the list shows it: median', 'ms', took, 0.5, mostMs),
      limited('the same, 95 of 100', 'ms', took, 0.95, mostMs),
      limited('a task just after another, until the list shows it: 95 of 100', 'ms', second, 0.95, mostMs),
    ]
  }

type Scrolled = { frames: number[]; jumps: number[] }

/** Scrolls through what has a label: the time of each frame, and how long a far place takes until it is painted. */
const scrolled = (page: Page, label: string, item: string): Promise<Scrolled> =>
  page.evaluate(
    async ({ label: name, item: selector, count, times, step }) => {
      const scroller = document.querySelector(`[aria-label="${name}"]`) as HTMLElement
      const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve))
      const { top, height } = scroller.getBoundingClientRect()
      const isPainted = () =>
        [...scroller.querySelectorAll(selector)].some((one) => {
          const box = one.getBoundingClientRect()
          return box.top <= top + height / 2 && box.bottom >= top + height / 2
        })
      const frames: number[] = []
      scroller.scrollTop = 0
      let last = await frame()
      for (let n = 0; n < count; n += 1) {
        scroller.scrollTop += step
        const now = await frame()
        frames.push(now - last)
        last = now
      }
      const jumps: number[] = []
      for (let n = 0; n < times; n += 1) {
        const from = performance.now()
        scroller.scrollTop = ((n * 7 + 3) % times) * (scroller.scrollHeight / times)
        do await frame()
        while (!isPainted())
        jumps.push(performance.now() - from)
      }
      return { frames, jumps }
    },
    { label, item, count: FRAMES, times: JUMPS, step: STEP_PX },
  )

const scrollRows = (what: string, { frames, jumps }: Scrolled): Row[] => [
  limited(`${what}: a frame while it scrolls, 95 of 100`, 'ms', frames, 0.95, MOST_FRAME_MS),
  limited(`${what}: from a jump until it is painted, 95 of 100`, 'ms', jumps, 0.95, MOST_JUMP_MS),
]

const longList = async ({ baseUrl, client }: World): Promise<Row[]> => {
  await client.importTasks({ body: { version: '1.0', tasks: finishedTasks(ROWS) } })
  await using opened = await openPage(baseUrl, '/tasks?labels=imported')
  const { page } = opened
  const scroller = page.getByRole('region', { name: 'Tasks' })
  await scroller.waitFor()
  const oldest = page.getByText(`Imported ${ROWS - 1}`, { exact: true })
  // Each page is asked for when its end comes near.
  while ((await oldest.count()) === 0) {
    await scroller.evaluate((one) => one.scrollTo(0, one.scrollHeight))
    await sleep(50)
  }
  return scrollRows(
    `a list of ${ROWS.toLocaleString('en')} rows`,
    await scrolled(page, 'Tasks', '[role=row], tr'),
  )
}

const longLog = async ({ baseUrl, client }: World): Promise<Row[]> => {
  const body = { title: 'Talks', metadata: { lines: LINES / ATTEMPTS, failures: ATTEMPTS - 1 } }
  const { id } = (await client.createTask({ body })).task
  await until(async () => {
    const { task } = await client.getTask({ params: { id } })
    return task.status === 'completed' ? task : undefined
  })
  await until(async () => {
    const { count } = await client.taskEvents({ params: { id } })
    return count > LINES ? count : undefined
  })
  const opening: number[] = []
  for (let n = 0; n < 3; n += 1) {
    await using opened = await openPage(baseUrl, '/theme.js')
    const from = Date.now()
    await opened.page.goto(`/tasks/${id}?tab=log`)
    await opened.page.getByRole('list', { name: 'Events' }).getByRole('listitem').first().waitFor()
    opening.push(Date.now() - from)
    if (n < 2) continue
    const what = `a log of ${LINES.toLocaleString('en')} lines`
    return [
      limited(`${what}: until it is shown, median`, 'ms', [median(opening)], 1, MOST_OPEN_MS),
      ...scrollRows(what, await scrolled(opened.page, 'Log', 'li')),
    ]
  }
  return []
}

type Part = { measure: (world: World) => Promise<Row[]>; entry: string; isDefault: boolean }
const ofMini = (measure: Part['measure']): Part => ({ measure, entry: 'bin/start.js', isDefault: true })

const parts: Readonly<Record<string, Part>> = {
  load: ofMini(firstLoad),
  change: ofMini(changeWithin(MOST_CHANGE_MS)),
  log: ofMini(longLog),
  list: ofMini(longList),
  markdown: ofMini(hostileMarkdown),
  places: ofMini(hostilePlaces),
  pro: { measure: changeWithin(MOST_CHANGE_PRO_MS), entry: 'offline/main.ts', isDefault: false },
}

const main = async (): Promise<void> => {
  if (!hasBrowser) throw new Error('There is no browser to measure in')
  await launchBrowser(true)
  const rows: Row[] = []
  const asked = process.argv.slice(2)
  for (const [name, { measure, entry, isDefault }] of Object.entries(parts)) {
    if (asked.length > 0 ? !asked.includes(name) : !isDefault) continue
    console.error(`${name} …`)
    const service = await startService(entry, settings)
    const baseUrl = `http://127.0.0.1:${service.port}`
    rows.push(...(await measure({ baseUrl, client: typedClient(baseUrl) })))
    await service.stop()
  }
  await closeBrowser()
  console.log(table(rows))
  console.log(`\nload of the machine: ${loadavg()[0]?.toFixed(1)} on ${cpus().length} cores`)
  process.exit(rows.every(({ pass }) => pass) ? 0 : 1)
}

main().catch((error: Error) => {
  console.error(error.message)
  process.exit(1)
})
