import { cutText } from '../../../../lib/core/cut-text.ts'
import type { Part } from './markdown-blocks.ts'

/** A part of a text has about so many letters. */
export const PART_LETTERS = 50_000

/** A text as it was written costs one element for so many letters: it is laid out in pieces. */
export const LETTERS_A_WEIGHT = 1_000

/** So many letters of a text from a place on as they were written, up to the end of a line where there is one. */
export const writtenPart = (text: string, from: number, letters = PART_LETTERS): Part => {
  const most = from + letters
  const line = text.lastIndexOf('\n', most) + 1
  const isCutAtLine = text.length > most && line > from
  const source = isCutAtLine ? text.slice(from, line) : cutText(text.slice(from), letters)
  const block = { type: 'written' as const, value: source }
  return {
    groups: [{ blocks: [block], source, definitions: '', weight: source.length / LETTERS_A_WEIGHT }],
    end: from + source.length,
  }
}
