import type { DiffLine } from '../../../../lib/core/diff-files.ts'
import { type CodeNode, colourClass, languages } from './code-languages.ts'
import { colouredWords, LONG_LINE } from './coloured-limit.ts'

/** A part of a line in one colour. */
type Token = { text: string; look: string | undefined }

/** Highlighting 4,000 characters takes a few milliseconds. */
const LETTERS_AT_ONCE = 4_000

/** Consecutive lines of one side of a hunk that are highlighted together. */
const runsIn = (lines: readonly DiffLine[], changed: 'added' | 'removed'): DiffLine[][] => {
  const runs: DiffLine[][] = []
  let run: DiffLine[] = []
  let letters = 0
  const close = () => {
    if (run.length > 0) runs.push(run)
    run = []
    letters = 0
  }
  for (const line of lines) {
    if (line.kind === 'hunk') close()
    if (line.kind !== 'same' && line.kind !== changed) continue
    // A long line is not highlighted, and is alone so that the lines around it are.
    if (line.text.length >= LONG_LINE || letters + line.text.length > LETTERS_AT_ONCE) close()
    run.push(line)
    letters += line.text.length >= LONG_LINE ? LETTERS_AT_ONCE : line.text.length + 1
  }
  close()
  return runs
}

/** The pieces of highlighted code, in their order, with their colours. */
const flattened = (nodes: readonly CodeNode[], look?: string): Token[] =>
  nodes.flatMap((node) => {
    if (node.type !== 'element') return 'value' in node ? [{ text: node.value, look }] : []
    return flattened(node.children as CodeNode[], colourClass(node.properties.className) ?? look)
  })

const tokensByLine = (text: string, language: string): Token[][] => {
  const lines: Token[][] = [[]]
  for (const { text: piece, look } of flattened(languages.highlight(language, text).children)) {
    const [first = '', ...rest] = piece.split('\n')
    if (first !== '') lines.at(-1)?.push({ text: first, look })
    for (const line of rest) lines.push(line === '' ? [] : [{ text: line, look }])
  }
  return lines
}

/** The tokens of each line; lines that are too long to be highlighted are left out. An unchanged line is read with the new side. */
export const colouredLines = (
  lines: readonly DiffLine[],
  language: string,
): ReadonlyMap<DiffLine, Token[]> => {
  const coloured = new Map<DiffLine, Token[]>()
  for (const changed of ['removed', 'added'] as const)
    for (const run of runsIn(lines, changed)) {
      const text = run.map((line) => line.text).join('\n')
      if (colouredWords(text) === 0) continue
      for (const [at, tokens] of tokensByLine(text, language).entries()) {
        const line = run[at]
        if (line) coloured.set(line, tokens)
      }
    }
  return coloured
}
