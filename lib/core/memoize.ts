/** Names of fields, states, operations and most messages are shorter than this; ids are longer. */
const LONGEST = 24
const MOST = 2_000

/** Memoizes a function of short texts, since lines of a log repeat most of theirs. `clear` drops outdated results. */
export const memoize = <Result>(find: (text: string) => Result) => {
  const results = new Map<string, Result>()
  const get = (text: string): Result => {
    if (text.length > LONGEST) return find(text)
    const known = results.get(text)
    if (known !== undefined) return known
    const found = find(text)
    if (results.size >= MOST) results.clear()
    results.set(text, found)
    return found
  }
  return { get, clear: () => results.clear() }
}
