import { type ParsedDiff, parseDiff } from '../../../../lib/core/diff-files.ts'

let latest: { readonly text: string; readonly parsed: ParsedDiff } | undefined

/** As `parseDiff`. The head of a task and what is below it read the same diff one after the other: it is parsed once. */
export const parsedDiff = (text: string): ParsedDiff => {
  if (latest?.text !== text) latest = { text, parsed: parseDiff(text) }
  return latest.parsed
}
