import { firstRefusal, type Guard, type PathFact, quoted } from './guard.ts'

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
export const pathTraversal: Guard = {
  name: 'path-traversal',
  refuses: ({ paths }) =>
    firstRefusal(paths, (path) => {
      const reason = unfit(path)
      return (
        reason && `${quoted(path.given)} ${reason}. Use a path relative to the workspace, like src/app.ts.`
      )
    }),
}
