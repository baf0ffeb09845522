import { cutText } from './cut-text.ts'
/** Cuts a text to `most` characters and appends a note of how many are left out. */
export const clipped = (text: string, most: number): string =>
  text.length > most
    ? `${cutText(text, most)}\n[${text.length - most} more characters are left out]`
    : text.toWellFormed()
