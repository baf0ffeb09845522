import { diffArrays } from 'diff'
import { type DiffLine, type FileDiff, parseDiff } from '../../../../../lib/core/diff-files.ts'

/** `same` are the paths of files that both changed in the same way. */
export type Comparison = { files: FileDiff[]; same: string[] }

const SIGNS: Readonly<Partial<Record<DiffLine['kind'], string>>> = { added: '+', removed: '-', same: ' ' }

/** Line numbers differ where files were changed above, so hunk headers are not compared. */
const patchLine = ({ kind, text }: DiffLine): string => `${SIGNS[kind] ?? ''}${text}`
const comparable = (file: FileDiff | undefined): DiffLine[] =>
  (file?.lines ?? []).filter(({ kind }) => kind !== 'hunk')

const CONTEXT = 3
/**
 * To find the least differences of two texts takes time quadratic in their number: 500,000 steps take about 50 ms. Files beyond that are
 * shown as wholly different.
 */
const MOST_STEPS = 500_000

const asLine =
  (kind: DiffLine['kind']) =>
  (line: DiffLine): DiffLine => {
    const number = line.after ?? line.before
    return {
      kind,
      text: patchLine(line),
      ...(number !== undefined && kind !== 'added' && { before: number }),
      ...(number !== undefined && kind !== 'removed' && { after: number }),
    }
  }

/** Leaves out what is the same, but for a few lines around each difference. */
const withContext = (lines: readonly DiffLine[]): DiffLine[] => {
  const isNear = new Uint8Array(lines.length)
  for (const [at, { kind }] of lines.entries())
    if (kind !== 'same') isNear.fill(1, Math.max(0, at - CONTEXT), at + CONTEXT + 1)
  const kept: DiffLine[] = []
  let hidden = 0
  const close = () => {
    if (hidden > 0) kept.push({ kind: 'hunk', text: hidden === 1 ? '1 same line' : `${hidden} same lines` })
    hidden = 0
  }
  for (const [at, line] of lines.entries()) {
    if (isNear[at] === 1) {
      close()
      kept.push(line)
    } else hidden += 1
  }
  close()
  return kept
}

type Found = { lines: DiffLine[]; steps: number }

const differingLines = (first: readonly DiffLine[], second: readonly DiffLine[], steps: number): Found => {
  const most = Math.floor(Math.sqrt(steps))
  const parts = diffArrays([...first], [...second], {
    comparator: (a, b) => a.kind === b.kind && a.text === b.text,
    maxEditLength: most,
  })
  if (parts === undefined)
    return { lines: [...first.map(asLine('removed')), ...second.map(asLine('added'))], steps: most ** 2 }
  const lines = parts.flatMap(({ value, added, removed }) =>
    value.map(asLine(added ? 'added' : removed ? 'removed' : 'same')),
  )
  return { lines, steps: lines.filter(({ kind }) => kind !== 'same').length ** 2 }
}

const isSame = (first: FileDiff, second: FileDiff): boolean => {
  const [a, b] = [comparable(first), comparable(second)]
  return (
    first.renamedFrom === second.renamedFrom &&
    a.length === b.length &&
    a.every((line, at) => line.kind === b[at]?.kind && line.text === b[at]?.text)
  )
}

const count = (lines: readonly DiffLine[], kind: DiffLine['kind']) =>
  lines.filter((line) => line.kind === kind).length

const differingFile = (path: string, isBinary: boolean, lines: readonly DiffLine[]): FileDiff => ({
  path,
  ...(isBinary && { isBinary }),
  lines: withContext(lines),
  added: count(lines, 'added'),
  removed: count(lines, 'removed'),
})

/** The difference of two diffs, file by file: a removed line is in the first one only, an added line in the second. */
export const compareDiffs = (first: string, second: string): Comparison => {
  const [inFirst, inSecond] = [first, second].map(
    (diff) => new Map(parseDiff(diff).files.map((file) => [file.path, file])),
  ) as [Map<string, FileDiff>, Map<string, FileDiff>]
  const comparison: Comparison = { files: [], same: [] }
  let left = MOST_STEPS
  for (const path of new Set([...inFirst.keys(), ...inSecond.keys()])) {
    const [a, b] = [inFirst.get(path), inSecond.get(path)]
    if (a && b && isSame(a, b)) {
      comparison.same.push(path)
      continue
    }
    const { lines, steps } = differingLines(comparable(a), comparable(b), left)
    // A file that is in one diff only takes no search.
    if (a && b) left = Math.max(1, left - steps)
    comparison.files.push(differingFile(path, a?.isBinary ?? b?.isBinary ?? false, lines))
  }
  return comparison
}
