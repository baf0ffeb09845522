import { shellWord } from '../../components/shell-word.ts'

const BINARY = /^Binary files (?:a\/)?(.*) and (?:b\/)?(.*) differ$/gm
const NOWHERE = '/dev/null'
/** More is slow to paste into a terminal. */
const MOST_PASTED = 64 * 1_024
/** All but tabs and line breaks. */
const CONTROLS = /[^\P{Cc}\t\n]/u
const DEFAULT_ORIGIN = 'http://127.0.0.1:3000'

/** A diff has no content of binary files. */
export const binaryFiles = (diff: string): string[] =>
  [...diff.matchAll(BINARY)].map(([, before = '', after = '']) => (after === NOWHERE ? before : after))

/** Git refuses a patch that names a binary file without its content. */
const gitApply = (diff: string): string =>
  ['git apply', ...binaryFiles(diff).map((path) => `--exclude=${shellWord(path)}`)].join(' ')

/** The command line of the service, which reads the diff from it. */
export const fetchedApply = (taskId: string, diff: string, origin: string): string => {
  const at = origin === DEFAULT_ORIGIN ? '' : `AGENT_TASKS_URL=${shellWord(origin)} `
  return `${at}agent-tasks diff ${shellWord(taskId)} | ${gitApply(diff)}`
}

const delimiterFor = (diff: string): string => {
  const lines = new Set(diff.split('\n'))
  let delimiter = 'PATCH'
  while (lines.has(delimiter)) delimiter += '_'
  return delimiter
}

/**
 * A command with the diff in it; `start` is its first line. Undefined for a diff that cannot be pasted: it is too long, or has
 * characters that a terminal acts on. A carriage return, say, ends a line there, and could end the command as well.
 */
export const pastedApply = (diff: string): { start: string; whole: string } | undefined => {
  if (diff.length > MOST_PASTED || CONTROLS.test(diff)) return undefined
  const delimiter = delimiterFor(diff)
  const start = `${gitApply(diff)} <<'${delimiter}'`
  return { start, whole: `${start}\n${diff.endsWith('\n') ? diff : `${diff}\n`}${delimiter}\n` }
}
