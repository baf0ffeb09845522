const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 }
const QUOTED = /^"((?:[^"\\]|\\.)*)"/
const PART = /\\([0-7]{3}|.)|[^\\]+/g

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Decodes a C-quoted name: `"caf\303\251"` is café; octal escapes are UTF-8 bytes. */
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

/** The name at the start of a text. A tab ends it: some programs append a timestamp. */
export const nameAt = (text: string): string => {
  const quoted = QUOTED.exec(text)
  return quoted ? unquoted(quoted[1] ?? '') : (text.split('\t', 1)[0] ?? '').trimEnd()
}

type Names = { readonly before: string; readonly after: string }

/** Both names of a `diff --git` line. Unquoted names may contain spaces; then both are assumed equal. */
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

/** Git's prefixes: `a/` and `b/`, or the letters of `diff.mnemonicPrefix`. */
const PREFIX = /^[abciow]\//
const NOWHERE = '/dev/null'

const withoutPrefix = (name: string): string => name.replace(PREFIX, '')

/** Names without git's prefixes; undefined on a side where the file does not exist. */
export const strippedNames = ({ before, after }: Names): { before?: string; after?: string } => {
  const names = [before, after].filter((name) => name !== NOWHERE)
  // Without prefixes, a file in a folder `a` or `b` has the same first letter on both sides.
  const hasPrefixes = names.every((name) => PREFIX.test(name)) && (names.length < 2 || before[0] !== after[0])
  const strip = hasPrefixes ? withoutPrefix : (name: string) => name
  return {
    ...(before !== NOWHERE && { before: strip(before) }),
    ...(after !== NOWHERE && { after: strip(after) }),
  }
}
