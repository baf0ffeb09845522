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
