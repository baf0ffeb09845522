import type { Page } from 'playwright-core'
import type { Client } from '../../../lib/api/client.ts'
import type { routes } from '../../../lib/api/routes.ts'
import { seededRandom } from '../../crash/random.ts'
import { launchBrowser, openPage } from '../../ui/browser.ts'
import { hostileTexts, markdownText } from '../../ui/markdown-corpus.ts'
import { finishedTasks } from '../../ui/world.ts'
import { atMost, type Row } from '../row.ts'

const LETTERS = 100_000
/** Of texts that are this short more is drawn as Markdown. */
const FEW_LETTERS = 20_000
/** The page answers a key within this, whatever a model wrote. */
const MOST_BLOCK_MS = 50
const TEXTS = Number(process.env.MARKDOWN_TEXTS ?? 60)
const SEED = Number(process.env.MARKDOWN_SEED ?? 20_261_126)
/** A text is settled when nothing was done for so long. */
const CALM_MS = 400
const LONGEST_MS = 8_000

/** The events of a trace, of which tasks of the main thread have the time of its processor. */
type Traced = { name: string; tdur?: number; dur?: number; pid: number; tid: number; args: { name?: string } }

/** The longest task of the main thread of the page while something happens, in ms of processor time. */
const longestTask = async (page: Page, happens: () => Promise<unknown>): Promise<number> => {
  const browser = await launchBrowser(true)
  await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] })
  await happens()
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as { traceEvents: Traced[] }
  const main = traceEvents.filter(
    ({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain',
  )
  const threads = new Set(main.map(({ pid, tid }) => `${pid}:${tid}`))
  const tasks = traceEvents.filter(
    ({ name, pid, tid }) => /RunTask$/.test(name) && threads.has(`${pid}:${tid}`),
  )
  return Math.max(0, ...tasks.map(({ tdur, dur = 0 }) => tdur ?? dur)) / 1_000
}

/** Waits until the main thread has had nothing to do for a while. */
const settled = (page: Page) =>
  page.evaluate(
    ({ calmMs, longestMs }) =>
      new Promise<void>((resolve) => {
        const from = performance.now()
        let last = from
        new MutationObserver(() => {
          last = performance.now()
        }).observe(document.body, { childList: true, subtree: true, characterData: true })
        const look = () => {
          const now = performance.now()
          if (now - last > calmMs || now - from > longestMs) resolve()
          else setTimeout(look, 50)
        }
        setTimeout(look, calmMs)
      }),
    { calmMs: CALM_MS, longestMs: LONGEST_MS },
  )

/**
 * Outputs of 100,000 letters of the worst forms, each shown in a page that is open: the longest time for which one of them keeps
 * the page from answering.
 */
export const hostileMarkdown = async (world: {
  baseUrl: string
  client: Client<typeof routes>
}): Promise<Row[]> => {
  const [task] = finishedTasks(2).slice(1)
  if (task === undefined) throw new Error('There is no task')
  await world.client.importTasks({ body: { version: '1.0', tasks: [task] } })
  await using opened = await openPage(world.baseUrl, `/tasks/${task.id}`)
  const { page } = opened
  const random = seededRandom(SEED)
  const texts = [
    ...hostileTexts(LETTERS),
    ...hostileTexts(FEW_LETTERS).map(([name, text]): [string, string] => [`20 kB: ${name}`, text]),
    ...Array.from({ length: TEXTS }, (_, n): [string, string] => [
      `random ${n}`,
      markdownText(random, LETTERS),
    ]),
  ]
  let output = 'Short'
  await page.route(/\/api\/tasks\/text_\d+/, async (route) => {
    const url = route.request().url()
    const id = /text_\d+/.exec(url)?.[0] ?? ''
    const answer = await route.fetch({ url: url.replace(id, task.id) })
    const body = JSON.parse((await answer.text()).replaceAll(task.id, id))
    if (body.task) body.task.result = { success: true, output }
    await route.fulfill({ response: answer, json: body })
  })
  const show = async (n: number, text: string) => {
    output = text
    await page.evaluate((id) => {
      history.pushState({}, '', `/tasks/${id}`)
      dispatchEvent(new PopStateEvent('popstate'))
    }, `text_${n}`)
    await settled(page)
  }
  for (let n = 0; n < 3; n += 1) await show(90_000 + n, '# Warm\n\n- up\n\n```ts\nconst a = 1\n```\n')
  const base = await longestTask(page, () => show(99_999, 'Short'))
  const worst: { name: string; ms: number }[] = []
  for (const [n, [name, text]] of texts.entries())
    worst.push({ name, ms: await longestTask(page, () => show(n, text)) })
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  worst.sort((a, b) => b.ms - a.ms)
  for (const { name, ms } of worst.slice(0, 12)) console.error(`${ms.toFixed(0).padStart(6)} ms  ${name}`)
  const [first] = worst
  console.error(`a short text: ${base.toFixed(0)} ms`)
  const measure = `the longest block of the page by ${texts.length} outputs of up to 100 kB: ${first?.name}`
  return [atMost(1, { measure, unit: 'ms', ours: first?.ms ?? 0, against: MOST_BLOCK_MS, opponent: 'limit' })]
}
