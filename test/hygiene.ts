import { posix } from 'node:path'

/** One `it` of a test file: the line it starts on, its text up to the next one, and the file's own asserting helpers. */
export type Case = { line: number; text: string; helpers: readonly string[] }

// A title that is no literal belongs to a wrapper, whose callers are the cases.
const START = /(?<![\w.])it(?:\(\s*['"`]|\.each\b|\.failing\b)/g

/** The cases of a test file. What follows the last one belongs to it, which makes a check milder, never stricter. */
export const testCases = (source: string): Case[] => {
  const starts = [...withoutComments(source).matchAll(START)].map(({ index }) => index)
  const helpers = assertingHelpers(source)
  return starts.map((at, n) => ({
    line: source.slice(0, at).split('\n').length,
    text: source.slice(at, starts[n + 1] ?? source.length),
    helpers,
  }))
}

/** The source with comment lines emptied, so that what they mention is not taken for code. */
const withoutComments = (source: string) =>
  source.replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gm, (line) => ' '.repeat(line.length))

const EXPECTATION = /\bexpect\w*[(.<]|\bfc\.assert\(/

/** Names of functions whose text, up to the next function or case, has an expectation. */
const assertingHelpers = (source: string) =>
  source
    .split(/^\s*(?=(?:export )?const \w+ = (?:async )?[(<]|it[.(])/m)
    .filter((part) => EXPECTATION.test(part))
    .flatMap((part) => /^(?:export )?const (\w+) = (?:async )?[(<]/.exec(part)?.[1] ?? [])

/** Whether a case checks anything: an expectation, a property, or a helper that does. */
export const expects = ({ text, helpers }: Case) =>
  EXPECTATION.test(text) || helpers.some((name) => new RegExp(`\\b${name}\\(`).test(text))

/** Whether a case measures how long something took on the machine it happens to run on. */
export const measuresSpeed = ({ text }: Case) =>
  /\b(?:performance\.now|Date\.now|process\.hrtime)\b/.test(text) && /\.toBeLessThan/.test(text)

/** Whether a case names the deadline that it holds the code to. */
export const namesDeadline = ({ text }: Case) => /deadline|within [\w.]+ (?:milli)?seconds?/i.test(text)

const EXPORT = /^export (?:async )?(?:const|let|function\*?|class|type|interface|enum) (\w+)/gm
const IMPORT = /\b(?:import|export)\s+(?:type\s+)?(?:\{([^}]*)\}|[^'"{};]+?)\s+from\s+['"](\.[^'"]+)['"]/g
const DYNAMIC = /\bimport\(\s*['"](\.[^'"]+)['"]/g

/**
 * The exports of `modules`, text by path, that no module imports by name: `path name`. A module that is imported as a whole,
 * or while the program runs, counts as used.
 */
export const unusedExports = (modules: ReadonlyMap<string, string>): string[] => {
  const used = new Set<string>()
  const whole = new Set<string>()
  for (const [name, source] of modules) {
    const place = (specifier = '') => posix.join(posix.dirname(name), specifier)
    for (const [, names, from] of source.matchAll(IMPORT))
      if (names === undefined) whole.add(place(from))
      else for (const one of namesIn(names)) used.add(`${place(from)} ${one}`)
    for (const [, from] of source.matchAll(DYNAMIC)) whole.add(place(from))
  }
  return [...modules].flatMap(([name, source]) =>
    [...source.matchAll(EXPORT)]
      .map(([, exported]) => `${name} ${exported}`)
      .filter((each) => !whole.has(name) && !used.has(each)),
  )
}

/** The names that `{ one, type two, three as four }` takes from a module. */
const namesIn = (list: string): string[] =>
  list.split(',').flatMap((part) => /^\s*(?:type\s+)?(\w+)/.exec(part)?.[1] ?? [])

const SLICE = /\??\.(slice|substring|substr)\(/g
/** A limit: a constant, a number of two digits and more, or a name of one. A place in a text and the length of a prefix are none. */
const LIMITS = [/\b[A-Z][A-Z_]+\b(?!\.length)/, /\b\d[\d_]+\b/, /\b(?:most|limit|max|longest|wanted|size)/i]
/** Functions that return a list, and functions that return ASCII. */
const RETURNS_LIST =
  /^(?:sort|toSorted|toReversed|filter|map|flatMap|split|list|values|find|cookies|fileChanges|adminIds|bestHits|replacedIn|beginningWith)$/
const RETURNS_ASCII = /^(?:toISOString|toLocaleString|digest|hash|tokenHash|ulidIn)$/
/** Names of lists that do not end in `s`. */
const LISTS = new Set([
  'all',
  'found',
  'issuesWithin',
  'kept',
  'log',
  'missing',
  'leftOut',
  'oldestFirst',
  'sample',
  'skipped',
])
/** Bytes that are cut and then read as text; a text that is mended after its cut. */
const MENDED = /\.subarray\([^;\n]*\)\s*\.toString\(|\.slice\([^;\n]*\)\s*\.toWellFormed\(/g

/**
 * The line and the text of each cut of a text at a limit that does not go through `lib/core/cut-text.ts`. It goes by names and forms, for it
 * knows no types.
 */
export const textCuts = (source: string): { line: number; code: string }[] => {
  const text = withoutComments(source)
  const slices = [...text.matchAll(SLICE)].filter(({ 0: call, 1: verb, index }) => {
    const open = index + call.length - 1
    const bounds = text.slice(open + 1, closing(text, open))
    const isLimited =
      verb !== 'slice' || LIMITS.some((form) => form.test(bounds.replaceAll(/Math\.m(?:ax|in)/g, '')))
    return isLimited && !isListOrAscii(text.slice(0, index).trimEnd())
  })
  const places = [...slices, ...text.matchAll(MENDED)].map(
    ({ index }) => text.slice(0, index).split('\n').length,
  )
  return [...new Set(places)].map((line) => ({ line, code: text.split('\n')[line - 1]?.trim() ?? '' }))
}

/** The index of the bracket that closes the one at `open`. */
const closing = (text: string, open: number): number => {
  let depth = 0
  for (let at = open; at < text.length; at += 1) {
    if ('([{'.includes(text.charAt(at))) depth += 1
    if (')]}'.includes(text.charAt(at))) depth -= 1
    if (depth === 0) return at
  }
  return text.length
}

/** The index of the parenthesis that opens the one at the end. */
const opening = (text: string): number => {
  let depth = 0
  for (let at = text.length - 1; at >= 0; at -= 1) {
    if (text.charAt(at) === ')') depth += 1
    if (text.charAt(at) === '(') depth -= 1
    if (depth === 0) return at
  }
  return 0
}

/** Whether the value that the text ends with is a list or ASCII, by its name, or by the function that returned it. */
const isListOrAscii = (before: string): boolean => {
  if (before.endsWith(']')) return true
  if (!before.endsWith(')')) {
    const [name = ''] = /\w+$/.exec(before) ?? []
    return LISTS.has(name) || /[^s]s$/.test(name)
  }
  const at = opening(before)
  const [called = ''] = /\w+$/.exec(before.slice(0, at)) ?? []
  return called === ''
    ? isListOrAscii(before.slice(at + 1, -1))
    : LISTS.has(called) || RETURNS_LIST.test(called) || RETURNS_ASCII.test(called)
}
