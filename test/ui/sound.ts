import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { expect } from '@jest/globals'
import type { Page } from 'playwright-core'
import { violationsIn } from './axe.ts'
import type { openPage } from './browser.ts'

type Opened = Pick<Awaited<ReturnType<typeof openPage>>, 'page' | 'faults'>

/** `AXE=every` runs all rules of axe in both themes and screen sizes, as `npm run soak` does. */
const isEvery = process.env.AXE === 'every'
/** The other theme changes colours only. */
const OF_COLOURS = isEvery ? undefined : ['color-contrast']
/** Narrow screens hide labels beside icons and scroll more. */
const OF_PHONES = isEvery ? undefined : ['button-name', 'link-name', 'scrollable-region-focusable']

/** Checks axe in both themes, faults of the browser, and the layout on a phone. */
export const expectSound = async ({ page, faults }: Opened) => {
  await paint(page, 'light')
  expect(await violationsIn(page)).toEqual([])
  await paint(page, 'dark')
  expect(await violationsIn(page, OF_COLOURS)).toEqual([])
  await expectFitsPhone(page)
  expect(await violationsIn(page, OF_PHONES)).toEqual([])
  if (isEvery) {
    await paint(page, 'light')
    expect(await violationsIn(page)).toEqual([])
  }
  expect(faults).toEqual([])
}

const paint = async (page: Page, theme: 'light' | 'dark') => {
  await page.emulateMedia({ colorScheme: theme })
  await page.locator(theme === 'dark' ? 'html.dark' : 'html:not(.dark)').waitFor()
}

/**
 * The document does not scroll horizontally, and every button and link is reachable. Retried, since layout settles some frames after a
 * resize.
 */
export const expectFitsPhone = async (page: Page) => {
  await page.setViewportSize({ width: 390, height: 844 })
  const read = async () => ({ ...(await page.evaluate(sizeOfDocument)), cutOff: await page.evaluate(cutOff) })
  const fits = { width: 390, height: 844, cutOff: [] }
  const end = Date.now() + 5_000
  while (!isDeepStrictEqual(await read(), fits) && Date.now() < end) await delay(50)
  expect(await read()).toEqual(fits)
}

const sizeOfDocument = () => {
  const { scrollWidth, scrollHeight } = document.documentElement
  return { width: scrollWidth, height: scrollHeight }
}

/** Controls that are cut off on the right without a scroller. */
const cutOff = () =>
  [...document.querySelectorAll<HTMLElement>('main button, main a, [role=dialog] button')]
    .filter((element) => element.checkVisibility() && !element.closest('.overflow-x-auto'))
    .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
    .map((element) => element.outerHTML.slice(0, 120))
