const MARK = '\uFEFF'

export const withoutByteOrderMark = (text: string): string => text.replace(/^\uFEFF/, '')

/** `text`, with a byte order mark where `other` begins with one. */
export const copyByteOrderMark = (other: string, text: string): string =>
  other.startsWith(MARK) ? MARK + withoutByteOrderMark(text) : text

type LineEnding = '\n' | '\r\n' | '\r'

const ENDINGS = /\r\n|\n|\r/g

/** The most frequent line ending of a text, of two equally frequent ones the first; undefined without line endings. */
export const lineEndingIn = (text: string): LineEnding | undefined => {
  const counts = new Map<LineEnding, number>()
  for (const [ending] of text.matchAll(ENDINGS))
    counts.set(ending as LineEnding, (counts.get(ending as LineEnding) ?? 0) + 1)
  const most = Math.max(...counts.values())
  return [...counts].find(([, count]) => count === most)?.[0]
}

export const withLineEnding = (text: string, ending: LineEnding): string => text.replace(ENDINGS, ending)
