const ASTERISKS = '********'
const LONGEST_PREFIX = 4

/** A key as people are shown it: a short beginning, at most a quarter of it, and asterisks, whose number says nothing. */
export const maskedKey = (key: string): string =>
  key.slice(0, Math.min(LONGEST_PREFIX, Math.floor(key.length / 4))) + ASTERISKS

/** Whether a text is a key as it was shown, and not a key. */
export const isMaskedKey = (text: string): boolean => text.endsWith('****')
