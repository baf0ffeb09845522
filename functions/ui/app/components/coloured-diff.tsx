import { type ReactNode, useMemo } from 'react'
import type { DiffLine } from '../../../../lib/core/diff-files.ts'
import { colouredLines } from './coloured-lines.ts'

type Props = {
  lines: readonly DiffLine[]
  language: string
  /** Draws the lines with the words of each. */
  draw: (words: (line: DiffLine) => ReactNode) => ReactNode
  words: (line: DiffLine) => ReactNode
}

export const ColouredDiff = ({ lines, language, draw, words }: Props): ReactNode => {
  const coloured = useMemo(() => colouredLines(lines, language), [lines, language])
  return draw((line) => {
    const tokens = coloured.get(line)
    if (tokens === undefined || tokens.length === 0) return words(line)
    return tokens.map(({ text, look }, at) =>
      look === undefined ? (
        text
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: the words of a line do not change.
        <span key={at} className={look}>
          {text}
        </span>
      ),
    )
  })
}
