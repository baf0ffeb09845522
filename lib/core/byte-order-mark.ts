const MARK = '\uFEFF'

export const withoutByteOrderMark = (text: string): string => text.replace(/^\uFEFF/, '')

/** `text`, with a byte order mark where `other` begins with one. */
export const withByteOrderMarkOf = (other: string, text: string): string =>
  other.startsWith(MARK) ? MARK + withoutByteOrderMark(text) : text
