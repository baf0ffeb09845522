const SPECIAL = /[\\^$.*+?()[\]{}|]/g

/** Marks the words of a search in a text, in any case. */
export const Marked = ({ text, words }: { text: string; words: string }) => {
  const parts = words.split(/\s+/).filter((word) => word !== '')
  if (parts.length === 0) return text
  const pattern = new RegExp(`(${parts.map((part) => part.replace(SPECIAL, '\\$&')).join('|')})`, 'giu')
  return text.split(pattern).map((piece, at) =>
    at % 2 === 0 ? (
      piece
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text do not move.
      <mark key={at} className="rounded-sm bg-queued/25 text-foreground">
        {piece}
      </mark>
    ),
  )
}
