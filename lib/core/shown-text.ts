import * as z from 'zod'

/** What begins another line, does something else to a terminal, or turns the text around it around. */
export const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/u

/**
 * A character that leaves a mark of its own: neither space nor what only changes its neighbours, nor what Unicode wants
 * left blank where it is not understood (Hangul fillers are letters, the Braille blank is a symbol).
 */
const VISIBLE = /[^\p{Z}\p{M}\p{Cc}\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}\u2800]/u

/** What people are shown in the words of somebody else: one line of at most so many characters, of which something can be seen. */
export const shownText = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .refine((text) => !CONTROLS.test(text), 'must not have control characters')
    .refine((text) => VISIBLE.test(text), 'must have a character that can be seen')

/** Whether no text in a JSON value, nor the name of a member, has control characters. */
export const hasNoControls = (value: unknown): boolean => {
  if (typeof value === 'string') return !CONTROLS.test(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, each]) => !CONTROLS.test(name) && hasNoControls(each))
}
