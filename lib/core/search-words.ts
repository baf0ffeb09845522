/** White space between two words, of which neither is so short that it is everywhere. */
const SEAM = /(?<=\S{3})\s+(?=\S{3})/u

/**
 * The words of a search, divided by white space; one of one or two characters stays with its neighbours: `task 1`. A
 * search of white space alone is for that.
 */
export const searchWords = (text: string): readonly string[] => {
  const trimmed = text.trim()
  return trimmed === '' ? [text] : [...new Set(trimmed.split(SEAM))]
}
