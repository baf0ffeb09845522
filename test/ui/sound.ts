import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { expect } from '@jest/globals'
import type { Page } from 'playwright-core'
import { violationsIn } from './axe.ts'
import type { openPage } from './browser.ts'

type Opened = Pick<Awaited<ReturnType<typeof openPage>>, 'page' | 'faults'>

/** `AXE=every` asks all rules of axe in both themes and on both screens, as `npm run soak` does. */
const isEvery = process.env.AXE === 'every'
/** All that the other theme changes is colours. */
const OF_COLOURS = isEvery ? undefined : ['color-contrast']
/** What a phone changes: words beside an icon are left out, and more has to be scrolled. */
const OF_PHONES = isEvery ? undefined : ['button-name', 'link-name', 'scrollable-region-focusable']

/** That what the page shows has no fault: for axe in both themes, for the browser, and on the screen of a phone. */
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
 * That a phone shows the page without scrolling the document, and every button and link within reach. It asks until that
 * holds: the page lays itself out anew some frames after its width has changed.
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

/** What can be pressed and is cut off at the right, where nothing scrolls to it. */
const cutOff = () =>
  [...document.querySelectorAll<HTMLElement>('main button, main a, [role=dialog] button')]
    .filter((element) => element.checkVisibility() && !element.closest('.overflow-x-auto'))
    .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
    .map((element) => element.outerHTML.slice(0, 120))
