/** Quotes and lists in each other, opened on one line: parsing is quadratic in their number. */
const NESTED = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])[ \t])){30}/m

/** What parsing a text as Markdown and drawing it costs. */
export type Cost = {
  /** Units of 0.1 µs, as measured for texts of the worst forms. */
  readonly parsing: number
  /** About so many elements. */
  readonly marks: number
}

const countOf = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0

/**
 * The cost of a text without its blocks of code. Parsing is quadratic in the delimiters of a paragraph (6,000 of them take
 * 2.7 s), in the lines of a list or a table (2,000 take 0.8 s), and reads on to the end of a paragraph for each `<`.
 */
export const costOf = (prose: string): Cost => {
  if (NESTED.test(prose)) return { parsing: Number.POSITIVE_INFINITY, marks: 0 }
  const lines = countOf(prose, /\n/g)
  const paragraphs = prose.split(/\n[ \t]*\n/).map((paragraph) => {
    const delimiters = countOf(paragraph, /[*_~`[\]]/g)
    return delimiters ** 2 + (countOf(paragraph, /</g) * paragraph.length) / 5
  })
  return {
    parsing: 3 * lines ** 2 + paragraphs.reduce((sum, units) => sum + units, 0),
    marks: lines + countOf(prose, /[*_~`[\]<|]/g),
  }
}
