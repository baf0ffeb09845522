/** A pair of escapes that is one character, an escape of half of a character, and any other escape. */
const ESCAPE =
  /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(u[dD][89a-fA-F][\da-fA-F]{2})|.)/gs
const MAY_HAVE_HALF = /\\u[dD][89a-fA-F]/

/** JSON in which half of a surrogate pair, which many parsers refuse, is U+FFFD, as in `toWellFormed`. */
export const wellFormedJson = (json: string): string =>
  MAY_HAVE_HALF.test(json)
    ? json.replaceAll(ESCAPE, (found, half?: string) => (half === undefined ? found : '\\ufffd'))
    : json

/** A value as JSON text, well-formed as `wellFormedJson` has it. */
export const jsonText = (value: unknown): string => wellFormedJson(JSON.stringify(value))
