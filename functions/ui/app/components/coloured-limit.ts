/** Longer code is not highlighted. */
const MOST_LETTERS = 5_000
/** Highlighting 2,000 tokens takes 25 ms, which blocks the page. */
const MOST_WORDS = 2_000
/** Some grammars take time quadratic in the length of a line. */
export const LONG_LINE = 500
const HAS_LONG_LINE = new RegExp(`[^\\n]{${LONG_LINE}}`)
const WORD = /\w+|[^\w\s]/g

/** Number of tokens that are highlighted; 0 above the limits. */
export const colouredWords = (text: string): number => {
  if (text.length > MOST_LETTERS || HAS_LONG_LINE.test(text)) return 0
  const words = text.match(WORD)?.length ?? 0
  return words <= MOST_WORDS ? words : 0
}
