import type { Page } from 'playwright-core'

/** Fills in the fields of a form, by their labels, and sends it. */
export const submit = async (page: Page, texts: Readonly<Record<string, string>>) => {
  for (const [label, text] of Object.entries(texts)) await page.getByLabel(label).fill(text)
  await page.keyboard.press('Enter')
}
