import * as z from 'zod'
import { cutText } from '../core/cut-text.ts'
import { CONTROLS, shownText } from '../core/shown-text.ts'

/** A text field of an event; a value of another type counts as missing. */
export const optionalText = z.string().optional().catch(undefined)

/** A part of an event; one of another form counts as missing. */
export const lenient = <Form extends z.ZodType>(form: Form) => form.nullish().catch(undefined)

/** The items of a list that have the form; anything but a list counts as an empty one. */
export const lenientList = <Form extends z.ZodType>(form: Form) =>
  z
    .array(lenient(form))
    .transform((items) => items.filter((item) => item != null))
    .catch([])

/** One line without control characters; undefined when nothing visible is left. */
export const oneLine = (text: string | undefined, most: number): string | undefined => {
  const line = cutText((text ?? '').split(CONTROLS).join(' ').trim(), most).trim()
  return shownText(most).safeParse(line).data
}

export const httpUrl = (text: string | undefined): string | undefined =>
  text !== undefined && text.length <= 2_000 && /^https?:\/\//i.test(text) && URL.canParse(text)
    ? text.toWellFormed()
    : undefined
