import { shortenedText } from '../core/cut-text.ts'
import { isGitName } from '../core/git-name.ts'
import { secretSegment } from '../core/secret-path.ts'

/** A possible path in a call: the given text, and the real path (undefined: outside of the workspace). */
type PathFact = { given: string; real: string | undefined }

/** The facts for the guards, gathered beforehand, so that each guard is a pure function. */
type GuardFacts = {
  paths: readonly PathFact[]
  /** The words of a command line; empty for tools that run no command. */
  words: readonly string[]
  /** Whether the user made fewer calls in the last minute than `callsPerMinute`; if so, this call is counted. */
  withinRate: boolean
  callsPerMinute: number
}

export type GuardName = 'path-traversal' | 'shell-injection' | 'secret-exfiltration' | 'rate-limit'

/** A guard returns undefined, or the reason of its refusal in words that the model can act on. */
type Guard = { name: GuardName; refuses(facts: GuardFacts): string | undefined }

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

/** A quoted and shortened text of the model, safe in a message. */
const quotedText = (text: string): string => JSON.stringify(shortenedText(text, 80))

const metacharacters = [';', '&', '|', '`', '$', '(', ')', '<', '>', '\\', '\n', '\r', '\0']
const shells = 'sh bash dash zsh ksh ash fish csh tcsh busybox cmd powershell pwsh'.split(' ')

const programName = (word: string) => word.slice(word.lastIndexOf('/') + 1).replace(/\.exe$/i, '')

// `sh -c text` runs any text as a shell line; it is searched for anywhere, since `env sh -c` does the same.
const runsShellText = (words: readonly string[]): boolean => {
  const shell = words.findIndex((word) => shells.includes(programName(word).toLowerCase()))
  return shell >= 0 && words.slice(shell + 1).some((word) => /^(-[a-z]*c[a-z]*|\/c|-command)$/i.test(word))
}

/** Refuses shell metacharacters in the words of a command, and shells that get a line as argument. */
const shellInjection: Guard = {
  name: 'shell-injection',
  refuses: ({ words }) => {
    if (runsShellText(words))
      return 'A shell with -c is not run. Call the program itself, its arguments as a list.'
    return firstRefusal(words, (word) => {
      const found = metacharacters.find((character) => word.includes(character))
      return (
        found &&
        `${quotedText(word)} holds the shell metacharacter ${JSON.stringify(found)}. No shell is used: give each argument ` +
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

const fromHex = (_: string, hex: string): string => String.fromCharCode(Number.parseInt(hex, 16))

const decodeOnce = (text: string): string =>
  overlong
    .reduce((now, [form, plain]) => now.replace(form, plain), text)
    .replace(/%u([0-9a-f]{4})/gi, fromHex)
    .replace(/%([0-9a-f]{2})/gi, fromHex)
    .normalize('NFKC')

/** Decodes percent and Unicode encodings until nothing changes; no decoder does more than five rounds. */
const decodedPath = (text: string, rounds = 5): string => {
  const next = decodeOnce(text)
  return next === text || rounds === 1 ? next : decodedPath(next, rounds - 1)
}

const isControl = (character: string) => character < ' ' || character === '\u007f'
const isParent = (segment: string) => segment.replace(/[\s;]+$/, '').trim() === '..'

const disguise = (path: string): string | undefined => {
  if ([...path].some(isControl)) return 'holds a control character'
  if (path.includes('\\')) return 'holds a backslash; write paths with /'
  if (path.split('/').some(isParent)) return 'holds a parent-directory segment (..)'
  if (/^~(?!\d)/.test(path)) return 'starts with ~'
  return undefined
}

const refusedPathReason = ({ given, real }: PathFact): string | undefined => {
  const plain = decodedPath(given)
  const reason = disguise(given) ?? disguise(plain)
  if (reason) return reason
  if (real === undefined || /^[a-z]:/i.test(plain)) return 'leads outside the workspace'
  if (`${given}/${plain}/${real}`.split('/').some(isGitName))
    return 'is inside .git, which only the git tool may touch'
  return undefined
}

/** Refuses every path that names a parent directory in any encoding, or whose real path is outside of the workspace. */
const pathTraversal: Guard = {
  name: 'path-traversal',
  refuses: ({ paths }) =>
    firstRefusal(paths, (path) => {
      const reason = refusedPathReason(path)
      return (
        reason &&
        `${quotedText(path.given)} ${reason}. Use a path relative to the workspace, like src/app.ts.`
      )
    }),
}

/** Refuses environment and credential files, by the given name and by the real path. */
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

/** Every guard in its order; all apply in every mode, also in `full`. */
export const guards: readonly Guard[] = [shellInjection, pathTraversal, secretExfiltration, rateLimit]
