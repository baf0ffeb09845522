import { secretNames } from '../../../core/secret-path.ts'
import { taskFailure } from '../../../core/task-failure.ts'
import type { LeftOut, WorkspaceTree } from '../../../ports/workspace.ts'

export type FileChange = {
  path: string
  status: 'added' | 'modified' | 'deleted'
  additions: number
  deletions: number
  binary?: true
}
/** `leftOutCount` is present when `leftOut` does not have all. */
type Changes = {
  filesChanged: FileChange[]
  diff: string
  leftOut?: readonly LeftOut[]
  leftOutCount?: number
}

const MOST_FILES = 1_000
/** The most bytes of the list of files as JSON: names may be thousands of characters long. */
const MOST_FILE_BYTES = 256 * 1_024
const MOST_DIFF = 200 * 1_024
const MOST_LIST = 1_024 * 1_024

/** A diff of two trees that runs no program. */
export const safeDiff =
  'diff --no-ext-diff --no-textconv --no-color --no-renames --ignore-submodules=all'.split(' ')
export const withoutSecrets = secretNames.flatMap((name) => [
  `:(exclude,icase,glob)**/${name}`,
  `:(exclude,icase,glob)**/${name}/**`,
])

const statuses: Readonly<Record<string, FileChange['status']>> = { A: 'added', D: 'deleted' }

const parseCounts = (numstat: string): Map<string, readonly [string, string]> =>
  new Map(
    numstat
      .split('\0')
      .filter(Boolean)
      .map((entry) => {
        const [additions = '-', deletions = '-', ...path] = entry.split('\t')
        return [path.join('\t'), [additions, deletions]]
      }),
  )

/** Merges `git diff --name-status -z` and `git diff --numstat -z` into one list. */
const fileChanges = (nameStatus: string, numstat: string): FileChange[] => {
  const counts = parseCounts(numstat)
  // The text after the last NUL is empty, or a name that the limit cut.
  const fields = nameStatus.split('\0').slice(0, -1)
  return Array.from({ length: Math.floor(fields.length / 2) }, (_, n) => {
    const [status = '', path = ''] = fields.slice(2 * n)
    const [additions, deletions] = counts.get(path) ?? ['0', '0']
    const change = { path, status: statuses[status] ?? 'modified' }
    // Git writes `-` for a binary file, since it counts no lines there.
    if (additions === '-') return { ...change, additions: 0, deletions: 0, binary: true as const }
    return { ...change, additions: Number(additions), deletions: Number(deletions) }
  })
}

/** The first items of a list: at most `most`, of at most `mostBytes` as JSON. */
const firstItems = <Item>(items: readonly Item[], most: number, mostBytes: number): Item[] => {
  let bytes = 0
  const end = items.findIndex((item, at) => {
    bytes += Buffer.byteLength(JSON.stringify(item))
    return at >= most || bytes > mostBytes
  })
  return items.slice(0, end < 0 ? items.length : end)
}

const truncatedDiff = (diff: string, truncated: boolean): string =>
  truncated
    ? `${diff.slice(0, diff.lastIndexOf('\n') + 1)}[diff truncated at ${MOST_DIFF / 1_024} kB]\n`
    : diff

const namedLeftOut = ({ leftOut: all, leftOutCount }: WorkspaceTree) => {
  const leftOut = firstItems(all, all.length, MOST_FILE_BYTES)
  if (leftOutCount === 0) return {}
  return leftOut.length < leftOutCount ? { leftOut, leftOutCount } : { leftOut }
}

/**
 * The difference between the files of a workspace and its base commit: committed or not, tracked or not, without ignored files, and
 * what was left out of it. Credential files are listed without their lines. Settings and indexes in the workspace are not
 * used: the agent could have written them.
 */
export const changesIn = async (snapshot: WorkspaceTree, baseCommit: string): Promise<Changes> => {
  const trees = [baseCommit, snapshot.tree]
  const run = orThrow(snapshot)
  const names = await run([...safeDiff, '--name-status', '-z', ...trees], MOST_LIST)
  if (names.stdout === '') return { filesChanged: [], diff: '', ...namedLeftOut(snapshot) }
  const counts = await run([...safeDiff, '--numstat', '-z', ...trees], MOST_LIST)
  const diff = await run([...safeDiff, ...trees, '--', '.', ...withoutSecrets], MOST_DIFF)
  const filesChanged = firstItems(fileChanges(names.stdout, counts.stdout), MOST_FILES, MOST_FILE_BYTES)
  return { filesChanged, diff: truncatedDiff(diff.stdout, diff.truncated), ...namedLeftOut(snapshot) }
}

/** Git that throws when a command fails. Its own message could name folders of this machine. */
export const orThrow =
  ({ git }: WorkspaceTree) =>
  async (...given: Parameters<WorkspaceTree['git']>) => {
    const result = await git(...given)
    if (result.exitCode === 0) return result
    const why = result.exceeded ? `: ${result.exceeded.message}` : ''
    throw taskFailure('unavailable', 'workspace_failed', `The changes could not be read${why}`, true)
  }
