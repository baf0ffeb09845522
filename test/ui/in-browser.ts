import { describe } from '@jest/globals'
import { hasBrowser } from './browser.ts'

/** `describe` that is skipped without a browser; browser.ts gives the reason by process.stderr.write(). */
export const inBrowser = hasBrowser ? describe : describe.skip
