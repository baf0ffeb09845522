const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 }
/** A quoted name, from its first quote to its last. */
const QUOTED = /^"((?:[^"\\]|\\.)*)"/
const PART = /\\([0-7]{3}|.)|[^\\]+/g

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** What git quotes like a string of C: `"caf\303\251"` is café. The octal numbers are the bytes of UTF-8. */
const unquoted = (text: string): string =>
  decoder.decode(
    Uint8Array.from(
      [...text.matchAll(PART)].flatMap(([part, escaped]) => {
        if (escaped === undefined) return [...encoder.encode(part)]
        if (escaped.length === 3) return [Number.parseInt(escaped, 8)]
        return [ESCAPES[escaped] ?? escaped.charCodeAt(0)]
      }),
    ),
  )

/** The name at the beginning of a text, which a tab ends: some programs write a time behind it. */
export const nameAt = (text: string): string => {
  const quoted = QUOTED.exec(text)
  return quoted ? unquoted(quoted[1] ?? '') : (text.split('\t', 1)[0] ?? '').trimEnd()
}

type Names = { readonly before: string; readonly after: string }

/** Both names of a line `diff --git`. One that is not quoted may have spaces: then both are taken for the same. */
export const headNames = (text: string): Names => {
  const quoted = QUOTED.exec(text)
  if (quoted) return { before: unquoted(quoted[1] ?? ''), after: nameAt(text.slice(quoted[0].length + 1)) }
  const second = text.indexOf(' "')
  if (second >= 0) return { before: text.slice(0, second), after: nameAt(text.slice(second + 1)) }
  const middle = (text.length - 1) / 2
  const halves = { before: text.slice(0, middle), after: text.slice(middle + 1) }
  if (Number.isInteger(middle) && withoutPrefix(halves.before) === withoutPrefix(halves.after)) return halves
  const at = text.indexOf(' b/')
  return { before: text.slice(0, at), after: text.slice(at + 1) }
}

/** What git writes before a name: `a/` and `b/`, or the letters of index, working tree, commit and object. */
const PREFIX = /^[abciow]\//
const NOWHERE = '/dev/null'

const withoutPrefix = (name: string): string => name.replace(PREFIX, '')

/** Both names without git's prefixes, and undefined for a file that is not there on that side. */
export const strippedNames = ({ before, after }: Names): { before?: string; after?: string } => {
  const names = [before, after].filter((name) => name !== NOWHERE)
  // A diff without prefixes may be of a folder `a` or `b`: then both names begin alike.
  const hasPrefixes = names.every((name) => PREFIX.test(name)) && (names.length < 2 || before[0] !== after[0])
  const strip = hasPrefixes ? withoutPrefix : (name: string) => name
  return {
    ...(before !== NOWHERE && { before: strip(before) }),
    ...(after !== NOWHERE && { after: strip(after) }),
  }
}
