import { type ReactNode, useState } from 'react'
import { ShowMore } from './show-more.tsx'
import { linePieces } from './text-pieces.ts'

/** Text off screen is not laid out. */
export const PlainText = ({ text }: { text: string }) => (
  <div className="leading-6 [overflow-wrap:anywhere] whitespace-pre-wrap">
    <TextPieces text={text} />
  </div>
)

type PiecesProps = { text: string; draw?: (piece: string) => ReactNode }

/** About 600 kB of prose, or 24,000 empty lines. */
const PIECES_AT_ONCE = 400

/** Needs an ancestor that preserves white space. `draw` may mark parts of a piece. */
export const TextPieces = ({ text, draw = (piece) => piece }: PiecesProps) => {
  const [most, setMost] = useState(PIECES_AT_ONCE)
  const pieces = linePieces(text)
  if (pieces.length === 1 && text.length <= SHORT_LETTERS) return draw(text)
  const left = pieces.slice(most).reduce((sum, { length }) => sum + length, 0)
  return (
    <>
      {pieces.slice(0, most).map((piece, at) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: text that grows keeps what comes before its end.
          key={at}
          className="block [contain-intrinsic-block-size:auto_20lh] [content-visibility:auto]"
        >
          {draw(piece)}
        </span>
      ))}
      {left > 0 && <ShowMore letters={left} onMore={() => setMost(most + PIECES_AT_ONCE)} />}
    </>
  )
}

/** Longer texts are split into blocks that are laid out on demand. */
const SHORT_LETTERS = 500
