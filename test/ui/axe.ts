import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Result = { violations: { id: string; help: string; nodes: { html: string }[] }[] }

// A colour that is on its way from one theme to the other has the contrast of neither. What turns for ever is not waited for.
const AT_REST = `new Promise((frame) => requestAnimationFrame(() => requestAnimationFrame(frame))).then(() =>
  Promise.allSettled(document.getAnimations()
    .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
    .map(({ finished }) => finished)))
  .then(() => undefined)`

/** What axe finds wrong with what the page shows now: `color-contrast: <span …>`; by all of its rules or by some. */
export const violationsIn = async (page: Page, rules?: readonly string[]): Promise<string[]> => {
  await page.evaluate(AT_REST)
  // By the debugger, which no policy of the page concerns.
  await page.evaluate(source)
  const options = { resultTypes: ['violations'], ...(rules ? { runOnly: rules } : {}) }
  const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as Result
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
}
