import { cutText } from '../../../core/cut-text.ts'
import { secretNames } from '../../../core/secret-path.ts'
import { taskFailure } from '../../../core/task-failure.ts'
import type { Workspace } from '../../../ports/workspace.ts'

export type FileChange = {
  path: string
  status: 'added' | 'modified' | 'deleted'
  additions: number
  deletions: number
  binary?: true
}
type Changes = { filesChanged: FileChange[]; diff: string }

const SHA256_DIGITS = 64
const MOST_FILES = 1_000
const MOST_DIFF = 200 * 1_024
const MOST_LIST = 1_024 * 1_024

const safely = ['--no-ext-diff', '--no-textconv', '--no-color', '--no-renames', '--ignore-submodules=all']
export const withoutSecrets = secretNames.flatMap((name) => [
  `:(exclude,icase,glob)**/${name}`,
  `:(exclude,icase,glob)**/${name}/**`,
])

const statuses: Readonly<Record<string, FileChange['status']>> = { A: 'added', D: 'deleted' }

const countsOf = (numstat: string): Map<string, readonly [string, string]> =>
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
  const counts = countsOf(numstat)
  const fields = nameStatus.split('\0')
  const pairs = Array.from({ length: Math.floor(fields.length / 2) }, (_, i) =>
    fields.slice(2 * i, 2 * i + 2),
  )
  return pairs.map(([status = '', path = '']) => {
    const [additions, deletions] = counts.get(path) ?? ['0', '0']
    const change = { path, status: statuses[status] ?? 'modified' }
    // Git writes `-` for a binary file, since it counts no lines there.
    if (additions === '-') return { ...change, additions: 0, deletions: 0, binary: true as const }
    return { ...change, additions: Number(additions), deletions: Number(deletions) }
  })
}

const truncatedDiff = (diff: string, truncated: boolean): string =>
  truncated
    ? `${diff.slice(0, diff.lastIndexOf('\n') + 1)}[diff truncated at ${MOST_DIFF / 1_024} kB]\n`
    : diff

/**
 * The difference between a workspace and its base commit: committed or not, tracked or not, without ignored files.
 * Credential files are listed without their lines. Settings and indexes in the workspace are not used: the agent could
 * have written them.
 */
export const changesIn = async (
  workspace: Workspace,
  baseCommit: string,
  signal: AbortSignal,
): Promise<Changes> => {
  const run = await workspaceGit(workspace, baseCommit, signal)
  const names = await run(['diff', ...safely, '--name-status', '-z', baseCommit], MOST_LIST)
  const counts = await run(['diff', ...safely, '--numstat', '-z', baseCommit], MOST_LIST)
  const diff = await run(['diff', ...safely, baseCommit, '--', '.', ...withoutSecrets], MOST_DIFF)
  const filesChanged = fileChanges(names.stdout, counts.stdout).slice(0, MOST_FILES)
  return { filesChanged, diff: truncatedDiff(diff.stdout, diff.truncated) }
}

/** Git that knows the base commit and every file of the workspace. A failing command throws, except for `raw`. */
export const workspaceGit = async (workspace: Workspace, baseCommit: string, signal: AbortSignal) => {
  const git = await workspace.ownGit(baseCommit.length === SHA256_DIGITS ? 'sha256' : 'sha1', signal)
  const run = async (args: readonly string[], maxBytes: number) => {
    const result = await git(args, maxBytes)
    if (result.exitCode === 0) return result
    const what = `The changes could not be read: ${cutText(result.stderr.trim(), 300)}`
    throw taskFailure('unavailable', 'workspace_failed', what, true)
  }
  await run(['read-tree', baseCommit], MOST_LIST)
  await run(['add', '--all', '--intent-to-add', '--', '.'], MOST_LIST)
  return Object.assign(run, { raw: git })
}
