import { splitHits } from './hits.ts'

/** A text with the words that were looked for marked. What the text says stays text. */
export const Marked = ({ text, terms }: { text: string; terms: readonly string[] }) =>
  splitHits(text, terms).map(({ text: piece, isHit, at }) =>
    isHit ? (
      <mark key={at} className="rounded-sm bg-queued/25 text-foreground">
        {piece}
      </mark>
    ) : (
      <span key={at}>{piece}</span>
    ),
  )
