import type { Page, Route } from 'playwright-core'
import { openPage } from '../../ui/browser.ts'
import { hostilePlainTexts } from '../../ui/markdown-corpus.ts'
import { atMost, type Row } from '../row.ts'
import { longestTask, settled } from './longest-task.ts'
import { hostileTextPlaces, type Place } from './places.ts'

const LETTERS = 100_000
/** The page answers a key within this, whatever it shows. */
const MOST_BLOCK_MS = 50
/** `PLACES='^diff.*Thai'` measures some of the places and texts. */
const PLACES = new RegExp(process.env.PLACES ?? '')
/** A place is scrolled to these parts of its height, one after the other. */
const SCROLLS = [0.37, 0.74, 0.11, 0.48, 0.85, 0.22]

/**
 * Scrolls all that scrolls, and waits until that is painted. Other elements are not asked for their height: the browser would lay out what it
 * has left out of them.
 */
const scroll = (page: Page, part: number) =>
  page.evaluate(async (share) => {
    for (const one of document.querySelectorAll('[class*=overflow-auto], [class*=overflow-y-auto]'))
      one.scrollTop = share * one.scrollHeight
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
  }, part)

const goTo = (page: Page, to: string) =>
  page.evaluate((path) => {
    history.pushState({}, '', path)
    dispatchEvent(new PopStateEvent('popstate'))
  }, to)

/** Answers as the service would if it had what the place shows. */
const answering = (answers: Place['answers']) => async (route: Route) => {
  const { pathname } = new URL(route.request().url())
  const name = Object.keys(answers).find((one) => pathname === one || pathname.endsWith(one))
  if (name === undefined) return route.continue()
  const body = answers[name]
  // A stream is given as its text.
  return typeof body === 'string'
    ? route.fulfill({ body, contentType: 'text/event-stream' })
    : route.fulfill({ json: body })
}

/** The longest time for which a place keeps the page from answering: as it opens, is used and is scrolled. */
const longestBlockMs = async (page: Page, { path, answers, act }: Place): Promise<number> => {
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.route('**/api/**', answering(answers))
  await page.goto('/settings/health')
  await settled(page)
  return longestTask(page, async () => {
    await goTo(page, path)
    await settled(page)
    await act?.(page)
    await settled(page)
    for (const part of SCROLLS) await scroll(page, part)
  })
}

/** Texts of the worst forms in each place of the page that shows texts. */
export const hostilePlaces = async (world: { baseUrl: string }): Promise<Row[]> => {
  await using opened = await openPage(world.baseUrl, '/settings/health')
  const { page } = opened
  const worst: { name: string; ms: number }[] = []
  for (const [of, text] of hostilePlainTexts(LETTERS)) {
    for (const [at, place] of Object.entries(hostileTextPlaces(text))) {
      const name = `${at}: ${of}`
      if (!PLACES.test(name)) continue
      let ms = await longestBlockMs(page, place)
      // The first time the fonts of its scripts are looked for, which is no matter of the place.
      if (ms > MOST_BLOCK_MS) ms = Math.min(ms, await longestBlockMs(page, place))
      worst.push({ name, ms })
    }
  }
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  worst.sort((a, b) => b.ms - a.ms)
  for (const { name, ms } of worst.slice(0, 12)) console.error(`${ms.toFixed(0).padStart(6)} ms  ${name}`)
  const [first] = worst
  const measure = `the longest block of the page by ${worst.length} hostile texts and places: ${first?.name}`
  return [atMost(1, { measure, unit: 'ms', ours: first?.ms ?? 0, against: MOST_BLOCK_MS, opponent: 'limit' })]
}
