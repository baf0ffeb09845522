const SPECIAL = /[\\^$.*+?()[\]{}|]/g

/** Marks the words of a search in a text, in any case: where words begin with them, else anywhere. */
export const Marked = ({ text, words }: { text: string; words: string }) => {
  const parts = words.split(/\s+/).filter((word) => word !== '')
  if (parts.length === 0) return text
  const any = `(${parts.map((part) => part.replace(SPECIAL, '\\$&')).join('|')})`
  const atStart = new RegExp(`(?<![\\p{L}\\p{N}])${any}`, 'iu')
  const pattern = atStart.test(text) ? atStart : new RegExp(any, 'iu')
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
