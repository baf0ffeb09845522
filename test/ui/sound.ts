import { expect } from '@jest/globals'
import { violationsIn } from './axe.ts'
import type { openPage } from './browser.ts'

type Opened = Pick<Awaited<ReturnType<typeof openPage>>, 'page' | 'faults'>

/** That what the page shows has no fault: for axe in both themes, for the browser, and on the screen of a phone. */
export const expectSound = async ({ page, faults }: Opened) => {
  for (const [colorScheme, root] of [
    ['light', 'html:not(.dark)'],
    ['dark', 'html.dark'],
  ] as const) {
    await page.emulateMedia({ colorScheme })
    await page.locator(root).waitFor()
    expect(await violationsIn(page)).toEqual([])
  }
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
  expect(faults).toEqual([])
}

/** What can be pressed and is cut off at the right, where nothing scrolls to it. */
export const cutOff = () =>
  [...document.querySelectorAll<HTMLElement>('main button, main a, [role=dialog] button')]
    .filter((element) => element.checkVisibility() && !element.closest('.overflow-x-auto'))
    .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
    .map((element) => element.outerHTML.slice(0, 120))
