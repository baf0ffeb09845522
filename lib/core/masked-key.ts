import { cutText } from './cut-text.ts'

const ASTERISKS = '********'
const LONGEST_PREFIX = 4

/** A key for people: a short beginning, at most a quarter of the key, and a fixed number of asterisks. */
export const maskedKey = (key: string): string =>
  cutText(key, Math.min(LONGEST_PREFIX, Math.floor(key.length / 4))) + ASTERISKS

export const isMaskedKey = (text: string): boolean => text.endsWith('****')
