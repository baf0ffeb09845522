import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findControlGroups } from '../../lib/adapters/node/control-groups.ts'
import { errorMessage } from '../../lib/core/errors.ts'
import { attemptAll, CANARY } from './attempts.ts'
import { cases, limits, type Means, means, type User } from './cases.ts'

/** Answers by case, or why there are none. */
export type Column = { user: User; means: Means } & (
  | { answers: Record<string, string> }
  | { skipped: string }
)

const NOBODY = 65_534
const self = fileURLToPath(import.meta.url)

/** The capabilities of root in a container by the default profile of Docker: without namespaces, and without ptrace. */
const OF_CONTAINER = [
  ...['chown', 'dac_override', 'fowner', 'fsetid', 'kill', 'setgid', 'setuid', 'setpcap', 'net_bind_service'],
  ...['net_raw', 'sys_chroot', 'mknod', 'audit_write', 'setfcap'],
]
const asInContainer = (words: readonly string[]): string[] => [
  ...['setpriv', '--inh-caps=-all', `--bounding-set=-all,${OF_CONTAINER.map((name) => `+${name}`).join()}`],
  ...['--', ...words],
]

/** Tries everything in a process of its own whose environment holds a secret, as root or as an unprivileged user. */
export const tryColumn = async (user: User, means: Means): Promise<Column> => {
  const isRoot = process.getuid?.() === 0
  if (user === 'root' && !isRoot) return { user, means, skipped: 'this process is not root' }
  const env = {
    PATH: process.env.PATH,
    CANARY_SECRET: CANARY,
    NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
  }
  const other = user === 'user' && isRoot ? { uid: NOBODY, gid: NOBODY } : {}
  const own = [process.execPath, self, means]
  const [file = '', ...args] = means === 'users' ? asInContainer(own) : own
  try {
    const { stdout } = await promisify(execFile)(file, args, { env, ...other })
    return { user, means, answers: JSON.parse(stdout) }
  } catch (thrown) {
    return { user, means, skipped: errorMessage(thrown, 400) }
  }
}

export const columns = [
  ['root', 'sandbox'],
  ['root', 'users'],
  ['root', 'none'],
  ['user', 'sandbox'],
  ['user', 'none'],
] as const

const titles = { sandbox: 'sandbox', users: 'users of their own', none: 'no sandbox' } as const

/** The answers as a table in Markdown. */
export const markdownTable = (found: readonly Column[]): string => {
  const heads = found.map(
    ({ user, means }) => `${titles[means]}, ${user === 'root' ? 'as root' : 'as a user'}`,
  )
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const answer = (column: Column, title: string) =>
    'answers' in column ? (column.answers[title] ?? '?') : '–'
  return [
    row(['A program of an agent can', ...heads]),
    row(['---', ...heads.map(() => '---')]),
    ...cases.map(({ title }) => row([title, ...found.map((column) => answer(column, title))])),
    '',
  ].join('\n')
}

if (import.meta.main) {
  const wanted = means.find((one) => one === process.argv[2])
  if (wanted) process.stdout.write(JSON.stringify(await attemptAll(wanted)))
  else {
    const found: Column[] = []
    for (const [user, how] of columns) found.push(await tryColumn(user, how))
    process.stdout.write(markdownTable(found))
    for (const column of found)
      if ('skipped' in column) process.stdout.write(`– ${column.user}, ${column.means}: ${column.skipped}\n`)
    const groups = await findControlGroups(limits)
    const kept = 'cause' in groups ? `not used: ${groups.cause}` : 'keep the limits of memory and processes'
    process.stdout.write(`– control groups: ${kept}\n`)
  }
}
