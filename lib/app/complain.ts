import { environmentSecrets } from '../config.ts'
import { createMasker } from '../core/masker.ts'

/**
 * Writes one line on standard error: for what there is no log for, at the start and at the end. Messages of foreign modules
 * may have several lines, and quote secrets.
 */
export const complain = (text: string): void => {
  const masker = createMasker(environmentSecrets())
  process.stderr.write(`${masker.logText(text.replace(/\s+/g, ' '))}\n`)
}
