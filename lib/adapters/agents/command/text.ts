import { stripVTControlCharacters } from 'node:util'
import { textTail } from '../../../core/cut-text.ts'
import type { Parser, ParserNeeds } from './parser.ts'

/** The most characters of the output that are the answer: its last ones. */
const MOST_ANSWER = 100_000
/** The most characters that readers of the run see. */
const MOST_SHOWN = 1_000_000

/** Plain text: what a program wrote is its answer. */
export const createTextParser = ({ events }: ParserNeeds): Parser => {
  let last = ''
  let shown = 0
  return {
    add: (piece) => {
      const text = stripVTControlCharacters(piece)
      if (text === '') return
      last = textTail(last + text, MOST_ANSWER)
      if (shown >= MOST_SHOWN) return
      shown += text.length
      events.say('text', text.toWellFormed())
    },
    close: () => undefined,
    end: () => undefined,
    whole: () => ({ answer: last.trim() }),
  }
}
