import { secretSegment } from '../core/secret-path.ts'

/** Something in a call that may be a path: as it was written, and where it really leads (undefined: out of the workspace). */
export type PathFact = { given: string; real: string | undefined }

/** What guards check: facts gathered beforehand, so that each guard is a pure function. */
export type GuardFacts = {
  paths: readonly PathFact[]
  /** The words of a command line; empty for tools that run none. */
  words: readonly string[]
  /** Whether the user has made fewer calls in the last minute than `callsPerMinute`; this one is counted then. */
  withinRate: boolean
  callsPerMinute: number
}

export type GuardName = 'path-traversal' | 'shell-injection' | 'secret-exfiltration' | 'rate-limit'

/** A guard answers undefined, or the reason for its refusal in words that the model can act on. */
type Guard = { name: GuardName; refuses(facts: GuardFacts): string | undefined }

/** The first answer that `check` gives for a list. */
const firstRefusal = <Item>(
  items: readonly Item[],
  check: (item: Item) => string | undefined,
): string | undefined => {
  for (const item of items) {
    const reason = check(item)
    if (reason !== undefined) return reason
  }
  return undefined
}

/** A quoted, shortened form of model text, safe to put into a reason. */
const quoted = (text: string): string => JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text)

const metacharacters = [';', '&', '|', '`', '$', '(', ')', '<', '>', '\\', '\n', '\r', '\0']
const shells = [
  'sh',
  'bash',
  'dash',
  'zsh',
  'ksh',
  'ash',
  'fish',
  'csh',
  'tcsh',
  'busybox',
  'cmd',
  'powershell',
  'pwsh',
]

const nameOf = (word: string) => word.slice(word.lastIndexOf('/') + 1).replace(/\.exe$/i, '')

// `sh -c text` runs a line of shell however harmless its characters; anywhere, for `env sh -c` does the same.
const runsShellText = (words: readonly string[]): boolean => {
  const shell = words.findIndex((word) => shells.includes(nameOf(word).toLowerCase()))
  return shell >= 0 && words.slice(shell + 1).some((word) => /^(-[a-z]*c[a-z]*|\/c|-command)$/i.test(word))
}

/** Refuses shell metacharacters in the words of a command, and shells that are handed a line. */
const shellInjection: Guard = {
  name: 'shell-injection',
  refuses: ({ words }) => {
    if (runsShellText(words))
      return 'A shell with -c is not run. Call the program itself, its arguments as a list.'
    return firstRefusal(words, (word) => {
      const found = metacharacters.find((character) => word.includes(character))
      return (
        found &&
        `${quoted(word)} holds the shell metacharacter ${JSON.stringify(found)}. No shell is used: give each argument ` +
          'plainly, run one command per call, and put longer text or code into a file first.'
      )
    })
  },
}

// Over-long UTF-8 forms of `.` and `/`, which lenient decoders accept.
const overlong: readonly (readonly [RegExp, string])[] = [
  [/%c0%ae|%e0%80%ae|%f0%80%80%ae/gi, '.'],
  [/%c0%af|%e0%80%af|%f0%80%80%af|%c1%9c/gi, '/'],
]

const decodeOnce = (text: string): string =>
  overlong
    .reduce((now, [form, plain]) => now.replace(form, plain), text)
    .replace(/%u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .normalize('NFKC')

/** Undoes percent and Unicode disguises until nothing changes; five rounds are more than any decoder does. */
const decoded = (text: string): string => {
  let now = text
  for (let round = 0; round < 5; round += 1) {
    const next = decodeOnce(now)
    if (next === now) break
    now = next
  }
  return now
}

const isControl = (character: string) => character < ' ' || character === '\u007f'
const isParent = (segment: string) => segment.replace(/[\s;]+$/, '').trim() === '..'
const isGitFolder = (segment: string) => segment.trim().toLowerCase() === '.git'

const disguise = (path: string): string | undefined => {
  if ([...path].some(isControl)) return 'holds a control character'
  if (path.includes('\\')) return 'holds a backslash; write paths with /'
  if (path.split('/').some(isParent)) return 'holds a parent-directory segment (..)'
  if (/^~(?!\d)/.test(path)) return 'starts with ~'
  return undefined
}

const unfit = ({ given, real }: PathFact): string | undefined => {
  const plain = decoded(given)
  const reason = disguise(given) ?? disguise(plain)
  if (reason) return reason
  if (real === undefined || /^[a-z]:/i.test(plain)) return 'leads outside the workspace'
  if (`${plain}/${real}`.split('/').some(isGitFolder))
    return 'is inside .git, which only the git tool may touch'
  return undefined
}

/** Refuses every path that names a parent directory in any encoding, or that really leads out of the workspace. */
const pathTraversal: Guard = {
  name: 'path-traversal',
  refuses: ({ paths }) =>
    firstRefusal(paths, (path) => {
      const reason = unfit(path)
      return (
        reason && `${quoted(path.given)} ${reason}. Use a path relative to the workspace, like src/app.ts.`
      )
    }),
}

/** Refuses environment and credential files, by the name that was given and by the file it really leads to. */
const secretExfiltration: Guard = {
  name: 'secret-exfiltration',
  refuses: ({ paths }) =>
    firstRefusal(paths, ({ given, real }) => {
      const found = secretSegment(given) ?? secretSegment(real ?? '')
      return found && `${found} may hold credentials and is off limits. Go on without it.`
    }),
}

/** Refuses calls above the rate that the policy allows each user. */
const rateLimit: Guard = {
  name: 'rate-limit',
  refuses: ({ withinRate, callsPerMinute }) =>
    withinRate
      ? undefined
      : `More than ${callsPerMinute} tool calls in a minute. Wait, and do more with each call.`,
}

/** Every guard, in the order of asking: what the words are made of comes before where they lead. All of them hold in every mode, `full` included. */
export const guards: readonly Guard[] = [shellInjection, pathTraversal, secretExfiltration, rateLimit]
