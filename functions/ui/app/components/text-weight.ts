import { cutText } from '../../../../lib/core/cut-text.ts'

/**
 * What text costs a browser to lay out, in letters of ASCII, of which Chromium lays out 1,000 in some 0.15 ms. Measured there: a letter of
 * another script costs four times as much, a mark on a letter ten times, a tab as well, a line break 6 µs and each change of the script 4 µs.
 */
const OTHER_LETTER = 4
const MARK_OR_TAB = 10
const LINE = 40
const SCRIPT_CHANGE = 28

const isMark = (code: number): boolean => code >= 0x300 && code < 0x370

/** Letters of one block are of one script, as are the ideographs and syllables from U+3000 on, and characters of two code units. */
const unicodeBlock = (code: number): number =>
  code < 0x3000 ? code >> 7 : code < 0xd800 ? 0x3000 : code >> 11

/** Weighs the code units of a text one after the other. Blanks, digits and punctuation of ASCII belong to the script before them. */
export const createWeigher = () => {
  let script: number | undefined
  return (code: number): number => {
    if (code === 10) return LINE
    if (code === 9 || isMark(code)) return MARK_OR_TAB
    const weight = code < 0x80 ? 1 : OTHER_LETTER
    if (code < 0x41) return weight
    const block = unicodeBlock(code)
    const isChange = script !== undefined && block !== script
    script = block
    return isChange ? weight + SCRIPT_CHANGE : weight
  }
}

/** What a text weighs, or one that goes on with the weigher of what stands before it. */
export const layoutWeight = (text: string, weigh = createWeigher()): number => {
  let weight = 0
  for (let at = 0; at < text.length; at += 1) weight += weigh(text.charCodeAt(at))
  return weight
}

/** The beginning of a text that weighs at most so much, of at most so many letters. */
export const cutToWeight = (text: string, most: number, letters = most): string => {
  const weigh = createWeigher()
  let weight = 0
  for (let at = 0; at < Math.min(text.length, letters); at += 1) {
    weight += weigh(text.charCodeAt(at))
    if (weight > most) return cutText(text, at)
  }
  return cutText(text, letters)
}

/** A line of the page shows no more letters, on any screen. */
const LINE_LETTERS = 400
/** In scripts that cost much it shows fewer: lists have dozens of lines. */
const LINE_WEIGHT = 2_000

/** The beginning of a text that is shown in one or two lines, which cut off the rest: what is not seen is not laid out either. */
export const startOfLine = (text: string): string => {
  const start = cutToWeight(text, LINE_WEIGHT, LINE_LETTERS)
  return start.length < text.length ? `${start}…` : start
}
