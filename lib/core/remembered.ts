/** Names of fields, states, operations and most messages are shorter than this; ids are longer. */
const LONGEST = 24
const MOST = 2_000

/**
 * A function of a text that remembers its results for short texts, since the lines of a log repeat most of theirs.
 * `forget` is for results that a change has made wrong.
 */
export const remembered = <Result>(find: (text: string) => Result) => {
  const known = new Map<string, Result>()
  const of = (text: string): Result => {
    if (text.length > LONGEST) return find(text)
    const before = known.get(text)
    if (before !== undefined) return before
    const found = find(text)
    if (known.size >= MOST) known.clear()
    known.set(text, found)
    return found
  }
  return { of, forget: () => known.clear() }
}
