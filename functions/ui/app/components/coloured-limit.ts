/** Code of more letters is shown without colours. */
const MOST_LETTERS = 5_000
/** So is code of more words and signs: finding their colours takes some 25 ms for so many, in which the page does not answer. */
const MOST_WORDS = 2_000
/** And code with a longer line: some languages are coloured in a time that is quadratic in the length of a line. */
const LONG_LINE = /[^\n]{500}/
const WORD = /\w+|[^\w\s]/g

/** How many words and signs of a code are coloured: none where that would stop the page. */
export const colouredWords = (text: string): number => {
  if (text.length > MOST_LETTERS || LONG_LINE.test(text)) return 0
  const words = text.match(WORD)?.length ?? 0
  return words <= MOST_WORDS ? words : 0
}
