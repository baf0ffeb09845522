import { type ReactNode, useState } from 'react'
import { ShowMore } from './show-more.tsx'
import { linePieces } from './text-pieces.ts'

/** A text as it was written. What of a long one is out of sight costs the browser nothing until it comes into sight. */
export const PlainText = ({ text }: { text: string }) => (
  <div className="leading-6 [overflow-wrap:anywhere] whitespace-pre-wrap">
    <TextPieces text={text} />
  </div>
)

type PiecesProps = { text: string; draw?: (piece: string) => ReactNode }

/** So many pieces are made at once: some 600 kB of prose, and 24,000 empty lines. */
const PIECES_AT_ONCE = 400

/** The letters of a text, within an element that keeps its white space; `draw` may mark some of them. */
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

/** A text of more letters costs nothing until it comes into sight. */
const SHORT_LETTERS = 500
