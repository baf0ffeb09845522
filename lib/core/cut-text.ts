/** Cuts a text to `most` characters and appends a note of how many are left out. */
export const clipped = (text: string, most: number): string =>
  text.length > most
    ? `${cutText(text, most)}\n[${text.length - most} more characters are left out]`
    : text.toWellFormed()

/** Whether a cut at this index would separate the two halves of a character outside the basic plane. */
const splitsPair = (text: string, at: number): boolean => {
  const before = text.charCodeAt(at - 1)
  const after = text.charCodeAt(at)
  return before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000
}

/**
 * The beginning of a text, of at most `most` UTF-16 code units, ending between characters. A half of a surrogate pair
 * in it becomes U+FFFD: JSON parsers and model providers refuse one.
 */
export const cutText = (text: string, most: number): string => {
  if (text.length <= most) return text.toWellFormed()
  return text.slice(0, splitsPair(text, most) ? most - 1 : most).toWellFormed()
}

/** The end of a text, of at most `most` UTF-16 code units, beginning between characters, well-formed as `cutText` has it. */
export const textTail = (text: string, most: number): string => {
  const at = Math.max(0, text.length - most)
  return text.slice(splitsPair(text, at) ? at + 1 : at).toWellFormed()
}

/** A text of at most `most` UTF-16 code units, well-formed; one that was cut ends in `…`. */
export const shortenedText = (text: string, most: number): string =>
  text.length > most ? `${cutText(text, most - 1)}…` : text.toWellFormed()

/** The beginning of a text that has at most `mostBytes` bytes as UTF-8, well-formed as `cutText` has it. */
export const cutTextToBytes = (text: string, mostBytes: number): string => {
  if (text.length * 3 <= mostBytes) return text.toWellFormed()
  // `encodeInto` writes whole characters only.
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(mostBytes))
  return text.slice(0, read).toWellFormed()
}

/** The text of UTF-8 bytes. A character that a cut has left incomplete at the end is left out. */
export const decodedText = (bytes: Uint8Array, isCut: boolean): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: isCut })

/** A copy of a value of JSON with each of its texts cut. */
export const cutTexts = (value: unknown, cut: (text: string) => string): unknown => {
  if (typeof value === 'string') return cut(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one) => cutTexts(one, cut))
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, cutTexts(one, cut)]))
}

/** A text in pieces of at most `most` UTF-16 code units, cut between characters. */
export function* textPieces(text: string, most: number): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = at + most
    const piece = text.slice(at, end < text.length && splitsPair(text, end) ? end - 1 : end)
    yield piece
    at += piece.length
  }
}
