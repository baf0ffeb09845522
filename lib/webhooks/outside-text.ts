import * as z from 'zod'
import { CONTROLS, shownText } from '../core/shown-text.ts'

/** A text field of an event; one of another type counts as missing. */
export const optionalText = z.string().optional().catch(undefined)

/** At most so many characters, none of them half of a pair. */
export const cut = (text: string, most: number): string => {
  const whole = text.toWellFormed()
  if (whole.length <= most) return whole
  const last = whole.charCodeAt(most - 1)
  const splitsPair = last >= 0xd800 && last <= 0xdbff
  return whole.slice(0, splitsPair ? most - 1 : most)
}

/** One line, without what does something to it; undefined where nothing is left that could be seen. */
export const oneLine = (text: string | undefined, most: number): string | undefined => {
  const line = cut((text ?? '').toWellFormed().split(CONTROLS).join(' ').trim(), most).trim()
  return shownText(most).safeParse(line).data
}

/** An http address that is not too long to be one. */
export const httpUrl = (text: string | undefined): string | undefined =>
  text !== undefined && text.length <= 2_000 && /^https?:\/\//i.test(text) && URL.canParse(text)
    ? text.toWellFormed()
    : undefined

/** What follows `/ai ` where a comment begins with that; undefined where it does not, or nothing follows. */
export const orderIn = (comment: string | undefined): string | undefined =>
  /^\/ai\s+(\S[\s\S]*)$/.exec(comment ?? '')?.[1]?.trimEnd()
