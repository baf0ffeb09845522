import { stripVTControlCharacters } from 'node:util'
import { textTail } from '../../../core/cut-text.ts'
import { MOST_ANSWER } from '../program/run-events.ts'
import type { Parser, ParserNeeds } from './parser.ts'

/** The most characters that readers of the run see. */
const MOST_SHOWN = 1_000_000

/** Plain text: what a program wrote is its answer. */
export const createTextParser = ({ events }: ParserNeeds): Parser => {
  let last = ''
  let shownCharacters = 0
  return {
    add: (piece) => {
      const text = stripVTControlCharacters(piece)
      if (text === '') return
      last = textTail(last + text, MOST_ANSWER)
      if (shownCharacters >= MOST_SHOWN) return
      shownCharacters += text.length
      events.say('text', text.toWellFormed())
    },
    close: () => undefined,
    end: () => undefined,
    whole: () => ({ answer: last.trim() }),
  }
}
