import type { Page } from 'playwright-core'
import { launchBrowser } from '../../ui/browser.ts'

/** A page is settled when nothing was done for so long. */
const CALM_MS = 400
const LONGEST_MS = 8_000

/** The events of a trace, of which tasks of the main thread have the time of its processor. */
type Traced = { name: string; tdur?: number; dur?: number; pid: number; tid: number; args: { name?: string } }

/** The longest task of the main thread of the page while something happens, in ms of processor time. */
export const longestTask = async (page: Page, happens: () => Promise<unknown>): Promise<number> => {
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
export const settled = (page: Page) =>
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
