import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Violation = { id: string; nodes: { html: string; failureSummary: string }[] }

/** Violations found by axe: `color-contrast: <span …> …`. */
export const violationsIn = async (page: Page, rules?: readonly string[]): Promise<string[]> => {
  // Injected by the debugger, which bypasses the page's Content-Security-Policy, and compiled once per document.
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(source)
  const options = { resultTypes: ['violations'], ...(rules ? { runOnly: rules } : {}) }
  const violations = (await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )) as Violation[]
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  )
}
