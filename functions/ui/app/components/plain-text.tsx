import type { ReactNode } from 'react'
import { linePieces, PIECE_LETTERS } from './text-pieces.ts'

/** A text as it was written. What of a long one is out of sight costs the browser nothing until it comes into sight. */
export const PlainText = ({ text }: { text: string }) => (
  <div className="leading-6 [overflow-wrap:anywhere] whitespace-pre-wrap">
    <TextPieces text={text} />
  </div>
)

type PiecesProps = { text: string; draw?: (piece: string) => ReactNode }

/** The letters of a text, within an element that keeps its white space; `draw` may mark some of them. */
export const TextPieces = ({ text, draw = (piece) => piece }: PiecesProps) => {
  const pieces = linePieces(text)
  if (pieces.length === 1 && text.length <= PIECE_LETTERS) return draw(text)
  return pieces.map((piece, at) => (
    <span
      // biome-ignore lint/suspicious/noArrayIndexKey: text that grows keeps what comes before its end.
      key={at}
      className="block [contain-intrinsic-block-size:auto_20lh] [content-visibility:auto]"
    >
      {draw(piece)}
    </span>
  ))
}
