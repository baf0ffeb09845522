import * as z from 'zod'
import { cutText } from '../core/cut-text.ts'
import { CONTROLS, shownText } from '../core/shown-text.ts'

/** A text field of an event; a value of another type counts as missing. */
export const optionalText = z.string().optional().catch(undefined)

/** One line without control characters; undefined when nothing visible is left. */
export const oneLine = (text: string | undefined, most: number): string | undefined => {
  const line = cutText((text ?? '').split(CONTROLS).join(' ').trim(), most).trim()
  return shownText(most).safeParse(line).data
}

export const httpUrl = (text: string | undefined): string | undefined =>
  text !== undefined && text.length <= 2_000 && /^https?:\/\//i.test(text) && URL.canParse(text)
    ? text.toWellFormed()
    : undefined
