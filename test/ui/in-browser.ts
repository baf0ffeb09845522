import { describe } from '@jest/globals'
import { hasBrowser } from './browser.ts'

/** `describe` for what needs a browser. Why it is left out without one, browser.ts says by process.stderr.write(). */
export const inBrowser = hasBrowser ? describe : describe.skip
