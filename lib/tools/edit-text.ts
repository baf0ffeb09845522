import { Problem } from '../core/errors.ts'
import {
  copyByteOrderMark,
  lineEndingIn,
  withLineEnding,
  withoutByteOrderMark,
} from '../core/line-endings.ts'

const editRefused = (message: string) => new Problem('invalid', 'edit_refused', message)

/**
 * Replaces `oldText` by `newText`. The search does not distinguish line endings. Lines that do not change keep their line
 * endings, and new lines get the most frequent one of the text. Its byte order mark stays. Throws Problem `invalid` `edit_refused` unless `oldText`
 * occurs exactly once.
 */
export const replaceOnce = (text: string, oldText: string, newText: string): string => {
  const content = withoutByteOrderMark(text)
  if (content === text) return replacedOnce(text, oldText, newText)
  const edited = replacedOnce(content, withoutByteOrderMark(oldText), withoutByteOrderMark(newText))
  return copyByteOrderMark(text, edited)
}

const replacedOnce = (text: string, oldText: string, newText: string): string => {
  const plain = withLineEnding(text, '\n')
  const sought = withLineEnding(oldText, '\n')
  const replacement = withLineEnding(newText, '\n')
  if (sought === replacement)
    throw editRefused('oldText and newText are the same. Line endings stay as the file has them.')
  const at = plain.indexOf(sought)
  if (at < 0)
    throw editRefused('oldText does not occur in the file. Read the file and copy the text exactly.')
  // The next search begins one character later, so that overlapping matches count as ambiguous too.
  if (plain.indexOf(sought, at + 1) >= 0)
    throw editRefused('oldText occurs more than once. Take in more of the lines around it.')
  const { start, end } = common(sought, replacement)
  const indexIn = originalIndex(text)
  const ending = lineEndingIn(text) ?? lineEndingIn(newText) ?? '\n'
  return (
    text.slice(0, indexIn(at + start)) +
    withLineEnding(replacement.slice(start, replacement.length - end), ending) +
    text.slice(indexIn(at + sought.length - end))
  )
}

/** How many characters two texts have in common at their start, and at their end after that. */
const common = (one: string, other: string): { start: number; end: number } => {
  const most = Math.min(one.length, other.length)
  let start = 0
  while (start < most && one[start] === other[start]) start += 1
  let end = 0
  while (end < most - start && one.at(-1 - end) === other.at(-1 - end)) end += 1
  return { start, end }
}

/** Translates an index in the text with LF line endings to one in the text itself. */
const originalIndex = (text: string): ((at: number) => number) => {
  const shortened = [...text.matchAll(/\r\n/g)].map(({ index }, count) => index - count)
  return (at) => at + shortened.filter((index) => index < at).length
}
