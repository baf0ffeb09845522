import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

// The headless shell uses two thirds of the CPU of the full browser.
const PROGRAMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
const PROGRAM = process.env.CHROMIUM ?? PROGRAMS.find(existsSync)
const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-dev-shm-usage'],
]
/** Extra processes and compiler tiers cost more than they save for short-lived pages. */
const FOR_SECONDS = [
  ...['--disable-site-isolation-trials', '--renderer-process-limit=1', '--in-process-gpu'],
  ...['--num-raster-threads=1', '--js-flags=--no-opt --no-maglev'],
]

/** Without a browser these tests are skipped; in CI that is a failure. */
export const hasBrowser = PROGRAM !== undefined && existsSync(PROGRAM)
if (!hasBrowser) {
  const reason = `There is no browser at ${PROGRAM ?? PROGRAMS.join(' or ')} (Debian: apt-get install chromium-headless-shell; or set CHROMIUM)`
  if (process.env.CI) throw new Error(reason)
  process.stderr.write(`The page is not tested. ${reason}\n`)
}
if (!existsSync(new URL('../../functions/ui/dist/index.html', import.meta.url)))
  throw new Error('The page is not built: npm run page')

let browser: Promise<Browser> | undefined

/**
 * One browser per file; `closeBrowser` ends it. Benchmarks pass `isMeasured` before the first page: scripts are then compiled as in a
 * normal browser.
 */
export const launchBrowser = (isMeasured = false) => {
  const args = isMeasured ? FLAGS : [...FLAGS, ...FOR_SECONDS]
  browser ??= chromium.launch({ ...(PROGRAM && { executablePath: PROGRAM }), args })
  return browser
}

export const closeBrowser = async () => {
  await (await browser)?.close()
  browser = undefined
}

/** Faults that no view may have: logged errors, exceptions, policy violations, requests to other origins. */
const watch = (page: Page, baseUrl: string) => {
  const faults: string[] = []
  page.on('console', (message) => {
    // The browser logs 4xx responses; tests check those where they are expected.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(String(error)))
  page.on('request', (request) => {
    if (!request.url().startsWith(baseUrl) && !/^(?:data|blob):/.test(request.url()))
      faults.push(`asked ${request.url()}`)
  })
  return faults
}

const SCREEN = { width: 1280, height: 800 }

/** Opens a path in a new browser context. `faults` lists the faults of the page; disposing closes it. */
export const openPage = async (baseUrl: string, path: string, options: BrowserContextOptions = {}) => {
  const context = await (await launchBrowser()).newContext({
    baseURL: baseUrl,
    viewport: SCREEN,
    reducedMotion: 'reduce',
    ...options,
  })
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  const faults = watch(page, baseUrl)
  await page.goto(path)
  return { page, context, faults, [Symbol.asyncDispose]: () => context.close() }
}

/** Reuses an open page, at a third of the cost of a new context. */
export const loadAnew = async ({ page, faults }: { page: Page; faults: string[] }, path: string) => {
  faults.length = 0
  await page.setViewportSize(SCREEN)
  await page.goto(path)
}
