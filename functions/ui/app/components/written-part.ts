import { cutText } from '../../../../lib/core/cut-text.ts'
import type { Part } from './markdown-blocks.ts'

export const PART_LETTERS = 50_000

/** Characters of source text per unit of weight. */
export const LETTERS_A_WEIGHT = 1_000

/** A part as source text, up to a line break if there is one. */
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
