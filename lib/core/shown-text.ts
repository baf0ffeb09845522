import * as z from 'zod'

/** What begins another line, does something else to a terminal, or turns the text around it around. */
export const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/u

/**
 * A character that leaves a mark of its own: neither space nor what only changes its neighbours, nor what Unicode wants
 * left blank where it is not understood (Hangul fillers are letters, the Braille blank is a symbol).
 */
const VISIBLE = /[^\p{Z}\p{M}\p{Cc}\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}\u2800]/u

/**
 * What something is called or found by: a title, a label, a name, an id. White space around it is a mistake. Refused, not
 * trimmed: what is stored is what was sent.
 */
export const nameText = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((text) => text === text.trim(), 'must not begin or end with white space')

/** A text that is kept, or searched for, byte for byte; one of white space alone says nothing. */
export const freeText = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((text) => text.trim() !== '', 'must have more than white space')

/** Text of a third party as people are shown it: a name in one line, of which something can be seen. */
export const shownText = (most: number) =>
  nameText(most)
    .refine((text) => !CONTROLS.test(text), 'must not have control characters')
    .refine((text) => VISIBLE.test(text), 'must have a character that can be seen')

/** Whether no text in a JSON value, nor the name of a member, has control characters. */
export const hasNoControls = (value: unknown): boolean => {
  if (typeof value === 'string') return !CONTROLS.test(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, each]) => !CONTROLS.test(name) && hasNoControls(each))
}
