/** Parsing needs a second for so many letters where each line has two of them. */
const MOST_LETTERS = 50_000
/** Parsing needs half a second for 3,000 delimiters in one paragraph, and four times as long for twice as many. */
const MOST_SQUARED = 10_000_000
/** Quotes and lists in each other, opened on one line: parsing is quadratic in their number. */
const NESTED = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){30}/m

const squareOf = (paragraph: string) => (paragraph.match(/[*_~`[\]]/g)?.length ?? 0) ** 2

/** Whether parsing a text as Markdown would stop the page: a model, or who wrote to it, may send any text. */
export const isCostly = (text: string): boolean =>
  text.length > MOST_LETTERS ||
  NESTED.test(text) ||
  text.split(/\n[ \t]*\n/).reduce((sum, paragraph) => sum + squareOf(paragraph), 0) > MOST_SQUARED
