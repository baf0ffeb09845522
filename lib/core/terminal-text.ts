/**
 * Characters that a terminal obeys or that reorder text around them: C0 and C1 controls and DEL (ECMA-48), the line
 * separators, and the marks of the bidirectional algorithm (UAX 9). Line feeds and tabs are what texts are laid out with.
 */
const OBEYED = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
/** Found sooner than the characters themselves: most texts are plain ASCII. */
const NOT_PLAIN = /[^\n\t -~]/

/**
 * A text for a terminal: characters that it would obey are written as `\u001b`. JSON stays JSON of the same value, since
 * such characters may stand in its strings only.
 */
export const terminalText = (text: string): string =>
  NOT_PLAIN.test(text)
    ? text.replaceAll(OBEYED, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : text
