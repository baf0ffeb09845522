import { headNames, nameAt, strippedNames } from './diff-name.ts'

/** A line of a diff with its numbers in the file before and after; a hunk's head and notes of git have none. */
export type DiffLine = {
  readonly kind: 'hunk' | 'same' | 'added' | 'removed' | 'note'
  readonly text: string
  readonly before?: number
  readonly after?: number
}
export type FileDiff = {
  readonly path: string
  /** Its path before, where that was another. */
  readonly renamedFrom?: string
  /** Whether git counted no lines of it. */
  readonly isBinary?: true
  readonly lines: readonly DiffLine[]
  readonly added: number
  readonly removed: number
}

const START = 'diff --git '
const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/
/** Lines of other programs before the names of a file, which say nothing that the names do not. */
const PREAMBLE = /^(?:diff -|Index: |={10,}$)/
const BINARY = /^(?:Binary files .* differ|GIT binary patch)$/

/** The lines of a diff, and the line that is read next. */
type Reading = { readonly all: readonly string[]; at: number }

/** The files of a diff in git's form or that of `diff -u`, and the text before them: all of it where there is none. */
export const parseDiff = (text: string): { files: FileDiff[]; before: string } => {
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

/** Names without git's line before them, which only a hunk tells from lines of a text. */
const isPlainStart = (reading: Reading): boolean =>
  lineAt(reading).startsWith('--- ') && lineAt(reading, 1).startsWith('+++ ') && HUNK.test(lineAt(reading, 2))

const isStart = (reading: Reading): boolean => lineAt(reading).startsWith(START) || isPlainStart(reading)

/** Reads a file up to the start of the next one. */
const readFile = (reading: Reading): FileDiff => {
  const head = [lineAt(reading)]
  for (reading.at += 1; reading.at < reading.all.length; reading.at += 1) {
    const line = lineAt(reading)
    if (HUNK.test(line) || line.startsWith(START)) break
    // The names after git's line are those of the same file, however they are followed.
    if (isPlainStart(reading) && head.some((one) => one.startsWith('+++ '))) break
    head.push(line)
  }
  const lines = readHunks(reading)
  const isBinary = head.some((line) => BINARY.test(line))
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length
  return {
    ...fileNames(head),
    ...(isBinary && { isBinary }),
    // What is binary or was only renamed has no lines of its own.
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
  // A copy has other names too, and its file before is still there.
  const isRenamed = before !== undefined && before !== path && valueAfter('copy from ') === undefined
  return isRenamed ? { path, renamedFrom: before } : { path }
}

/** The numbers of the next line on both sides, and how many lines of the hunk are left on each. */
type Place = { before: number; after: number; leftBefore: number; leftAfter: number }

/**
 * Reads hunks up to the start of the next file. Models count lines badly: what follows behind the counts of a hunk is
 * read by its first letter too.
 */
const readHunks = (reading: Reading): DiffLine[] => {
  const lines: DiffLine[] = []
  let place: Place = { before: 0, after: 0, leftBefore: 0, leftAfter: 0 }
  for (; reading.at < reading.all.length; reading.at += 1) {
    const text = lineAt(reading)
    // The last two lines of a hunk may look like names: `-- a` was removed and `++ b` added.
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
    } else lines.push(...readHunkLine(text, place))
  }
  return lines
}

/** A line of a hunk, which moves the place on; none for what separates files. */
const readHunkLine = (line: string, place: Place): DiffLine[] => {
  const isOver = place.leftBefore <= 0 && place.leftAfter <= 0
  // A mail with a patch ends with its signature.
  if (isOver && line === '-- ') return [{ kind: 'note', text: line }]
  if (isOver && (line === '' || PREAMBLE.test(line))) return []
  const text = line.slice(1)
  if (line.startsWith('+')) {
    place.leftAfter -= 1
    return [{ kind: 'added', text, after: place.after++ }]
  }
  if (line.startsWith('-')) {
    place.leftBefore -= 1
    return [{ kind: 'removed', text, before: place.before++ }]
  }
  // Some programs take the space off a line that has nothing else.
  if (line !== '' && !line.startsWith(' ')) return [{ kind: 'note', text: line }]
  place.leftBefore -= 1
  place.leftAfter -= 1
  return [{ kind: 'same', text, before: place.before++, after: place.after++ }]
}

/** The two sides of a line: a line that was replaced stands beside what replaced it. */
export type Pair = { readonly left?: DiffLine | undefined; readonly right?: DiffLine | undefined }

/** The lines of a diff side by side. */
export const sideBySide = (lines: readonly DiffLine[]): Pair[] => {
  const pairs: Pair[] = []
  let removed: DiffLine[] = []
  let added: DiffLine[] = []
  const flush = () => {
    for (let n = 0; n < Math.max(removed.length, added.length); n++)
      pairs.push({ left: removed[n], right: added[n] })
    removed = []
    added = []
  }
  for (const line of lines) {
    if (line.kind === 'removed') {
      if (added.length > 0) flush()
      removed.push(line)
    } else if (line.kind === 'added') added.push(line)
    else {
      flush()
      pairs.push({ left: line, right: line })
    }
  }
  flush()
  return pairs
}
