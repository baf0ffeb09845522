import type { Client } from '../../../lib/api/client.ts'
import type { routes } from '../../../lib/api/routes.ts'
import { seededRandom } from '../../crash/random.ts'
import { finishedTasks } from '../../fixtures/finished-tasks.ts'
import { openPage } from '../../ui/browser.ts'
import { hostileTexts, markdownText } from '../../ui/markdown-corpus.ts'
import { atMost, type Row } from '../row.ts'
import { longestTask, settled } from './longest-task.ts'

const LETTERS = 100_000
/** Of texts that are this short more is drawn as Markdown. */
const FEW_LETTERS = 20_000
/** The page answers a key within this, whatever a model wrote. */
const MOST_BLOCK_MS = 50
const TEXTS = Number(process.env.MARKDOWN_TEXTS ?? 60)
const SEED = Number(process.env.MARKDOWN_SEED ?? 20_261_126)
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
