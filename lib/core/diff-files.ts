import { headNames, nameAt, strippedNames } from './diff-name.ts'

/** Hunk headers and git's notes have no line numbers. */
export type DiffLine = {
  readonly kind: 'hunk' | 'same' | 'added' | 'removed' | 'note'
  readonly text: string
  readonly before?: number
  readonly after?: number
}
export type FileDiff = {
  readonly path: string
  readonly renamedFrom?: string
  readonly isBinary?: true
  readonly lines: readonly DiffLine[]
  readonly added: number
  readonly removed: number
}

const START = 'diff --git '
const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/
/** Preamble lines of other diff programs. */
const PREAMBLE = /^(?:diff -|Index: |={10,}$)/
const BINARY = /^(?:Binary files .* differ|GIT binary patch)$/

type Reading = { readonly all: readonly string[]; at: number }
export type ParsedDiff = { readonly files: readonly FileDiff[]; readonly before: string }

/** Parses the output of `git diff` or `diff -u`. `before` is the text in front of the first file, or all of it when there is none. */
export const parseDiff = (text: string): ParsedDiff => {
  const reading: Reading = { all: text.replace(/\n+$/, '').split('\n'), at: 0 }
  const { all } = reading
  while (reading.at < all.length && !isStart(reading)) reading.at += 1
  const before = all
    .slice(0, reading.at)
    .filter((line) => !(reading.at < all.length && PREAMBLE.test(line)))
    .join('\n')
    .trim()
  const files: FileDiff[] = []
  while (reading.at < all.length) files.push(readFile(reading))
  return { files, before }
}

const lineAt = ({ all, at }: Reading, next = 0): string => all[at + next] ?? ''

/** A file header without `diff --git`: only a following hunk header distinguishes it from text. */
const isPlainStart = (reading: Reading): boolean =>
  lineAt(reading).startsWith('--- ') && lineAt(reading, 1).startsWith('+++ ') && HUNK.test(lineAt(reading, 2))

const isStart = (reading: Reading): boolean => lineAt(reading).startsWith(START) || isPlainStart(reading)

const readFile = (reading: Reading): FileDiff => {
  const head = [lineAt(reading)]
  for (reading.at += 1; reading.at < reading.all.length; reading.at += 1) {
    const line = lineAt(reading)
    if (HUNK.test(line) || line.startsWith(START)) break
    // The first `---`/`+++` pair after `diff --git` belongs to the same file.
    if (isPlainStart(reading) && head.some((one) => one.startsWith('+++ '))) break
    head.push(line)
  }
  const lines = readHunks(reading)
  const isBinary = head.some((line) => BINARY.test(line))
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length
  return {
    ...fileNames(head),
    ...(isBinary && { isBinary }),
    // Binary and renamed files have no hunks.
    lines: lines.length > 0 ? lines : head.slice(1).map((text) => ({ kind: 'note', text })),
    added: count('added'),
    removed: count('removed'),
  }
}

const fileNames = (head: readonly string[]): Pick<FileDiff, 'path' | 'renamedFrom'> => {
  const [first = ''] = head
  const valueAfter = (name: string) => head.find((line) => line.startsWith(name))?.slice(name.length)
  const [from, to] = [valueAfter('rename from '), valueAfter('rename to ')]
  if (from !== undefined && to !== undefined) return { path: nameAt(to), renamedFrom: nameAt(from) }
  const [minus, plus] = [valueAfter('--- '), valueAfter('+++ ')]
  const written =
    minus !== undefined && plus !== undefined
      ? { before: nameAt(minus), after: nameAt(plus) }
      : headNames(first.slice(START.length))
  const { before, after } = strippedNames(written)
  const path = after ?? before ?? ''
  // A copy keeps its source file.
  const isRenamed = before !== undefined && before !== path && valueAfter('copy from ') === undefined
  return isRenamed ? { path, renamedFrom: before } : { path }
}

type Place = { before: number; after: number; leftBefore: number; leftAfter: number }

/** Models write wrong hunk counts, so lines beyond the counts are still read by their prefix. */
const readHunks = (reading: Reading): DiffLine[] => {
  const lines: DiffLine[] = []
  let place: Place = { before: 0, after: 0, leftBefore: 0, leftAfter: 0 }
  for (; reading.at < reading.all.length; reading.at += 1) {
    const text = lineAt(reading)
    // The last two lines of a hunk can look like a file header: `-- a` removed, `++ b` added.
    const isLastPair = place.leftBefore === 1 && place.leftAfter === 1
    if (text.startsWith(START) || (isPlainStart(reading) && !isLastPair)) break
    const hunk = HUNK.exec(text)
    if (hunk) {
      const [, before, most = 1, after, mostAfter = 1] = hunk
      place = {
        before: Number(before),
        leftBefore: Number(most),
        after: Number(after),
        leftAfter: Number(mostAfter),
      }
      lines.push({ kind: 'hunk', text })
    } else {
      const line = readHunkLine(text, place)
      if (line) lines.push(line)
    }
  }
  return lines
}

/** Advances the place. Undefined for separators between files. */
const readHunkLine = (line: string, place: Place): DiffLine | undefined => {
  const isOver = place.leftBefore <= 0 && place.leftAfter <= 0
  // The signature of a mailed patch.
  if (isOver && line === '-- ') return { kind: 'note', text: line }
  if (isOver && (line === '' || PREAMBLE.test(line))) return undefined
  const text = line.slice(1)
  if (line.startsWith('+')) {
    place.leftAfter -= 1
    return { kind: 'added', text, after: place.after++ }
  }
  if (line.startsWith('-')) {
    place.leftBefore -= 1
    return { kind: 'removed', text, before: place.before++ }
  }
  // Some programs strip the space of an empty context line.
  if (line !== '' && !line.startsWith(' ')) return { kind: 'note', text: line }
  place.leftBefore -= 1
  place.leftAfter -= 1
  return { kind: 'same', text, before: place.before++, after: place.after++ }
}

export type Pair = { readonly left?: DiffLine | undefined; readonly right?: DiffLine | undefined }

/** In the unified layout both sides of a pair are the same line. */
export function* unified(lines: readonly DiffLine[]): Generator<Pair> {
  for (const line of lines) yield { left: line, right: line }
}

/** Removed lines beside the added ones that follow them. */
export function* sideBySide(lines: readonly DiffLine[]): Generator<Pair> {
  let removed: DiffLine[] = []
  let added: DiffLine[] = []
  function* changed(): Generator<Pair> {
    for (let n = 0; n < Math.max(removed.length, added.length); n++)
      yield { left: removed[n], right: added[n] }
    removed = []
    added = []
  }
  for (const line of lines) {
    if (line.kind === 'removed') {
      if (added.length > 0) yield* changed()
      removed.push(line)
    } else if (line.kind === 'added') added.push(line)
    else {
      yield* changed()
      yield { left: line, right: line }
    }
  }
  yield* changed()
}

export const linesOf = ({ left, right }: Pair): DiffLine[] =>
  left === right ? (left ? [left] : []) : [left, right].filter((line) => line !== undefined)
