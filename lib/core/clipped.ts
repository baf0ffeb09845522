/** The beginning of a text that is longer than so many characters, with a note of how much is left out. */
export const clipped = (text: string, most: number): string =>
  text.length > most
    ? `${text.slice(0, most).toWellFormed()}\n[${text.length - most} more characters are left out]`
    : text
