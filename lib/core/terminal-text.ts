/** What a terminal obeys or what reorders text: C0, C1 and DEL (ECMA-48), separators, bidirectional marks (UAX 9). */
const OBEYED = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu
/** Found sooner than the characters themselves: most texts are plain ASCII. */
const NOT_PLAIN = /[^\n\t -~]/

/** A text for a terminal: characters that it would obey are written as `\u001b`. JSON keeps its value. */
export const terminalText = (text: string): string =>
  NOT_PLAIN.test(text)
    ? text.replaceAll(OBEYED, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : text
