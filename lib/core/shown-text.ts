import * as z from 'zod'
import { CONTROLS } from './controls.ts'
import { cutText } from './cut-text.ts'

/** A visible character: no space, mark or control, and none shown as blank (Hangul fillers, the Braille blank). */
const VISIBLE = /[^\p{Z}\p{M}\p{Cc}\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}\u2800]/u

/** Any text of at least one character. */
export const boundedText = (most: number) => z.string().min(1).max(most)

/** A title, label, name or id. White space around it is refused and not trimmed: the stored text is the sent text. */
export const nameText = (most: number) =>
  boundedText(most).refine((text) => text === text.trim(), 'must not start or end with whitespace')

/** A text that is stored or searched for byte by byte; white space alone is refused. */
export const freeText = (most: number) =>
  boundedText(most).refine((text) => text.trim() !== '', 'must not be blank')

/** A third party's text that people are shown: a name in one line, with at least one visible character. */
export const shownText = (most: number) =>
  nameText(most)
    .refine((text) => !CONTROLS.test(text), 'must not contain control characters')
    // White space alone has been refused by then.
    .refine((text) => text.trim() === '' || VISIBLE.test(text), 'must have a visible character')

/** A third party's text as a `shownText`: one line without control characters; undefined when nothing visible is left. */
export const oneLine = (text: string | undefined, most: number): string | undefined => {
  const line = cutText((text ?? '').split(CONTROLS).join(' ').trim(), most).trim()
  return shownText(most).safeParse(line).data
}

/** Characters that are not seen, or only look like a space: format controls, joiners, selectors, spaces other than U+0020. */
export const UNSEEN = /(?:(?! )[\p{Z}\p{Cf}\p{Co}\p{Default_Ignorable_Code_Point}\u2800])+/u

/** A name that is compared exactly, such as that of a machine: two names that differ do not differ in what is not seen. */
export const exactText = (most: number) =>
  shownText(most).refine((text) => !UNSEEN.test(text), 'must not contain invisible characters')

/** Whether no text and no member name of a JSON value has control characters. */
export const hasNoControls = (value: unknown): boolean => {
  if (typeof value === 'string') return !CONTROLS.test(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, each]) => !CONTROLS.test(name) && hasNoControls(each))
}
