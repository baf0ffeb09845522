/** Control and format characters except line break and tab, and invisible separators. */
const UNSEEN = /\r(?!\n)|[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\n\r\t]]/gv
const DIGITS = 4

/** Spells out invisible and bidirectional characters as `\u{202e}`, so that what a person approves reads as what is run. */
export const visibleText = (text: string): string =>
  text.replaceAll(UNSEEN, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16).padStart(DIGITS, '0')}}`)
