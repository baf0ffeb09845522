import { existsSync } from 'node:fs'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

// The shell is the same browser without windows, and asks for two thirds of the machine.
const PROGRAMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
const PROGRAM = process.env.CHROMIUM ?? PROGRAMS.find(existsSync)
const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-dev-shm-usage'],
]
/** Each process and each compiler that starts once more for a page that lives for seconds costs more than it brings. */
const FOR_SECONDS = [
  ...['--disable-site-isolation-trials', '--renderer-process-limit=1', '--in-process-gpu'],
  ...['--num-raster-threads=1', '--js-flags=--no-opt --no-maglev'],
]

/** Whether there is a browser to test in. Without one these tests are left out and say so; in CI that is a failure. */
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
 * One browser for all tests of a file; `closeBrowser` when they are over. What measures a page calls it before the first page with
 * `isMeasured`: then scripts are compiled as in the browser of a person.
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

/** What no view may do, as the browser tells it: log an error, throw, break the policy, ask another origin. */
const watch = (page: Page, baseUrl: string) => {
  const faults: string[] = []
  page.on('console', (message) => {
    // The browser logs each answer of 4xx by itself; those are looked at where they are expected.
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

/**
 * Opens a path of the service in a context of its own, as a person with no history would. `faults` lists what the
 * browser complained of; disposing closes it.
 */
export const openPage = async (baseUrl: string, path: string, options: BrowserContextOptions = {}) => {
  const context = await (await launchBrowser()).newContext({
    baseURL: baseUrl,
    viewport: SCREEN,
    reducedMotion: 'reduce',
    ...options,
  })
  context.setDefaultTimeout(25_000)
  const page = await context.newPage()
  const faults = watch(page, baseUrl)
  await page.goto(path)
  return { page, context, faults, [Symbol.asyncDispose]: () => context.close() }
}

/** Loads another path in a page that is open, which costs a third of a page in a context of its own. */
export const loadAnew = async ({ page, faults }: { page: Page; faults: string[] }, path: string) => {
  faults.length = 0
  await page.setViewportSize(SCREEN)
  await page.goto(path)
}
