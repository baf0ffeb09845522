import { type ParsedDiff, parseDiff } from './diff-files.ts'

export type Change = { path: string; additions: number; deletions: number }

/** The last line of a diff that was cut to the size of a result. */
const CUT_OFF = /^\[diff truncated at .*\]\n?$/m

export const isCutOff = (diff: string): boolean => CUT_OFF.test(diff)

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)

/** Results come from agents and may hold anything. */
const reportedChanges = (list: unknown): Change[] =>
  (Array.isArray(list) ? list : []).flatMap((each) => {
    const { path, additions, deletions } = Object(each)
    if (typeof path !== 'string') return []
    return [
      { path, additions: isCount(additions) ? additions : 0, deletions: isCount(deletions) ? deletions : 0 },
    ]
  })

/**
 * The changed files of a result, counted in the diff that people are shown. What the agent reported counts only where there
 * is no whole diff.
 */
export const changesIn = (
  { diff, filesChanged }: Readonly<Record<string, unknown>>,
  parse: (diff: string) => ParsedDiff = parseDiff,
): readonly Change[] => {
  if (typeof diff === 'string' && diff !== '' && !isCutOff(diff)) {
    const { files } = parse(diff)
    if (files.length > 0)
      return files.map(({ path, added, removed }) => ({ path, additions: added, deletions: removed }))
  }
  return reportedChanges(filesChanged)
}

/** The sums of changes. */
export const changeTotals = (changes: readonly Change[]) => ({
  files: changes.length,
  additions: changes.reduce((total, { additions }) => total + additions, 0),
  deletions: changes.reduce((total, { deletions }) => total + deletions, 0),
})
