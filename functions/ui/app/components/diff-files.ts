/** A line of a diff with its numbers in the file before and after; a hunk's head and notes of git have none. */
export type DiffLine = {
  readonly kind: 'hunk' | 'same' | 'added' | 'removed' | 'note'
  readonly text: string
  readonly before?: number
  readonly after?: number
}
export type FileDiff = {
  readonly path: string
  readonly lines: readonly DiffLine[]
  readonly added: number
  readonly removed: number
}

const START = 'diff --git '
const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)/

/** The files of a diff in git's form, without the lines that are for programs only. */
export const filesOfDiff = (text: string): FileDiff[] => {
  const parts = `\n${text.trimEnd()}`.split(`\n${START}`)
  return parts.flatMap((part, n) => (n === 0 ? [] : [fileOf(part)]))
}

const fileOf = (part: string): FileDiff => {
  const [head = '', ...rest] = part.split('\n')
  const at = rest.findIndex((line) => line.startsWith('@@'))
  // What is binary or was only renamed has no lines of its own.
  const lines: DiffLine[] =
    at < 0 ? rest.map((line) => ({ kind: 'note', text: line })) : numbered(rest.slice(at))
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length
  return {
    path: head.replace(/^a\/.* b\//, ''),
    lines,
    added: count('added'),
    removed: count('removed'),
  }
}

const numbered = (lines: readonly string[]): DiffLine[] => {
  let before = 0
  let after = 0
  return lines.map((line): DiffLine => {
    const hunk = HUNK.exec(line)
    if (hunk) {
      before = Number(hunk[1])
      after = Number(hunk[2])
      return { kind: 'hunk', text: line }
    }
    const text = line.slice(1)
    if (line.startsWith('+')) return { kind: 'added', text, after: after++ }
    if (line.startsWith('-')) return { kind: 'removed', text, before: before++ }
    if (line.startsWith('\\')) return { kind: 'note', text: line }
    return { kind: 'same', text, before: before++, after: after++ }
  })
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
