import { posix } from 'node:path'

/** One `it` of a test file: the line it starts on, its text up to the next one, and the file's own asserting helpers. */
export type Case = { line: number; text: string; helpers: readonly string[] }

// A title that is no literal belongs to a wrapper, whose callers are the cases.
const START = /(?<![\w.])it(?:\(\s*['"`]|\.each\b|\.failing\b)/g

/** The cases of a test file. What follows the last one belongs to it, which makes a check milder, never stricter. */
export const casesOf = (source: string): Case[] => {
  const starts = [...withoutComments(source).matchAll(START)].map(({ index }) => index)
  const helpers = helpersOf(source)
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
const helpersOf = (source: string) =>
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
