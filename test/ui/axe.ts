import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Violation = { id: string; nodes: { html: string; failureSummary: string }[] }

/** What axe finds wrong with what the page shows now, and why: `color-contrast: <span …> …`; by all of its rules or by some. */
export const violationsIn = async (page: Page, rules?: readonly string[]): Promise<string[]> => {
  // By the debugger, which no policy of the page concerns. A document that has it already compiles it no second time.
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(source)
  const options = { resultTypes: ['violations'], ...(rules ? { runOnly: rules } : {}) }
  const violations = (await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )) as Violation[]
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  )
}
