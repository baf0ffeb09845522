/** Control and format characters but the end of a line and the tab, and separators that no editor shows. */
const UNSEEN = /\r(?!\n)|[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\n\r\t]]/gv
const DIGITS = 4

/**
 * A text in which characters that are not seen, or that turn the direction of what follows, are spelled out as `\u{202e}`:
 * what a person decides on reads as what is run.
 */
export const visibleText = (text: string): string =>
  text.replaceAll(UNSEEN, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16).padStart(DIGITS, '0')}}`)
