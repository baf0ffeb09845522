import * as z from 'zod'

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

export const httpUrl = (text: string | undefined): string | undefined =>
  text !== undefined && text.length <= 2_000 && /^https?:\/\//i.test(text) && URL.canParse(text)
    ? text.toWellFormed()
    : undefined
