import { isGitName } from '../../core/git-name.ts'
import type { CommandResult, LeftOut, OwnGit, WorkspaceTree } from '../../ports/workspace.ts'
import { keepOwnObjects, type OwnGitNeeds, openOwnGit, type Place, workspaceFailed } from './own-git.ts'
import { entriesBelow } from './workspace-entries.ts'
import { removeBelow, writeBelow } from './workspace-files.ts'

const objectFormat = (commit: string) => (commit.length === SHA256_DIGITS ? 'sha256' : 'sha1')
const SHA256_DIGITS = 64
const MOST_OUTPUT = 64 * 1_024
const MOST_LIST = 16 * 1_024 * 1_024
const ADD_TIMEOUT_MS = 2 * 60_000
/** The most paths that are passed as arguments, or named. */
const MOST_PATHS = 500
const MOST_NAMED = 100
/** Code hosts take no larger file. */
const MOST_FILE_BYTES = 100 * 1_024 * 1_024

const GIT_FOLDER = Buffer.from('.git')
const isGitFolder = (name: Buffer): boolean => name.equals(GIT_FOLDER)
/** The files that git opens in every folder. A pipe in the place of one would block it. */
const SETTINGS = ['.gitignore', '.gitattributes', '.gitmodules']

const UNREAD = 'The changes could not be read'

/** `stops` says that git would fail at the entry, or take what it should not. */
type Odd = { bytes: Buffer; reason: LeftOut['reason']; stops: boolean }

/** What is below a root that git would stumble over, and pipes in the place of git's settings. */
const oddEntries = async (root: string, uid: number | undefined, signal: AbortSignal) => {
  const odd: Odd[] = []
  const blocking: Buffer[] = []
  const skips = (name: Buffer, folder: Buffer | undefined) => {
    if (!isGitFolder(name)) return false
    if (folder !== undefined) odd.push({ bytes: folder, reason: 'repository', stops: true })
    return true
  }
  for await (const { path, name, kind, bytes, isReadable } of entriesBelow(root, skips, uid)) {
    signal.throwIfAborted()
    if (kind === 'special') {
      odd.push({ bytes: path, reason: 'special', stops: false })
      if (SETTINGS.includes(name.toString())) blocking.push(path)
    } else if (!isReadable) odd.push({ bytes: path, reason: 'unreadable', stops: kind === 'folder' })
    else if (kind === 'file' && bytes > MOST_FILE_BYTES)
      odd.push({ bytes: path, reason: 'too_large', stops: true })
  }
  return { odd, blocking }
}

/** A pathspec that excludes a path; a byte that is no UTF-8 is replaced by U+FFFD in a text, and matches any here. */
const excluding = (path: string): string[] => {
  if (!path.includes('\uFFFD')) return [`:(exclude,literal)${path}`]
  const glob = path.replace(/[\\*?[\]]/g, '\\$&').replaceAll('\uFFFD', '*')
  return [`:(exclude,glob)${glob}`, `:(exclude,glob)${glob}/**`]
}

const namesIn = (output: string): string[] => output.split('\0').filter((name) => name !== '')

/** Whether a list of paths has a path, or a folder that contains it. */
const covers = (paths: ReadonlySet<string>, path: string): boolean => {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
    if (paths.has(path.slice(0, end))) return true
  return false
}

const reasonFor = (path: string): LeftOut['reason'] => {
  const segments = path.split('/')
  // Git takes no link of that name.
  return segments.some(isGitName) || segments.at(-1)?.toLowerCase() === '.gitmodules' ? 'name' : 'unreadable'
}

/** Removes what git ignores from a list of odd entries, and repositories in folders that the base commit has. */
const relevant = async (run: OwnGit, oddities: readonly Odd[], base: string): Promise<Odd[]> => {
  if (oddities.length === 0) return []
  // Git quotes other names in this list.
  const paths = oddities.slice(0, MOST_PATHS).map(({ bytes }) => bytes.toString())
  const plain = paths.filter((path) => !/[\p{Cc}"\\]/u.test(path))
  const listed = plain.length > 0 ? (await run(['check-ignore', '--', ...plain], MOST_LIST)).stdout : ''
  const ignored = new Set(listed.split('\n'))
  const folders = await run(['ls-tree', '-r', '-d', '-z', base], MOST_LIST)
  const tracked = new Set(
    namesIn(folders.stdout).flatMap((line) =>
      line.includes(' tree ') ? line.slice(line.indexOf('\t') + 1) : [],
    ),
  )
  return oddities.filter(({ bytes, reason }) => {
    const path = bytes.toString()
    return !ignored.has(path) && !(reason === 'repository' && tracked.has(path))
  })
}

/** Whether git ran to its end: exit code 1 says that some files were not added. */
const isOver = ({ exitCode }: CommandResult) => exitCode === 0 || exitCode === 1

/** Adds files to the index. An encoding in `.gitattributes` that does not fit a file is fatal to git, and is then ignored. */
const addAll = async (run: OwnGit, add: readonly string[]) => {
  const timeoutMs = ADD_TIMEOUT_MS
  let attributes: { attributes?: string } = {}
  let added = await run(add, MOST_OUTPUT, { timeoutMs })
  if (!isOver(added) && !added.exceeded && !added.timedOut) {
    attributes = { attributes: '* !working-tree-encoding' }
    added = await run(add, MOST_OUTPUT, { timeoutMs, ...attributes })
  }
  if (!isOver(added)) throw workspaceFailed(UNREAD, added)
  return { isWhole: added.exitCode === 0, attributes }
}

/**
 * The files of a workspace as a tree of git on top of a base commit. Git's own ignore rules apply, and `except` are
 * further pathspecs of files that stay as the base commit has them. A file that git cannot take is left out and named;
 * it fails nothing. Throws Problem `unavailable` `workspace_failed` when there is no tree at all.
 */
export const workspaceTree = async (
  needs: OwnGitNeeds,
  place: Place,
  base: string,
  except: readonly string[],
  signal: AbortSignal,
): Promise<WorkspaceTree> => {
  const { root, own } = place
  const run = await openOwnGit(needs, place, objectFormat(base), signal)
  const must = async (...given: Parameters<OwnGit>) => {
    const result = await run(...given)
    if (result.exitCode !== 0) throw workspaceFailed(UNREAD, result)
    return result
  }

  await must(['read-tree', base], MOST_OUTPUT)
  const entries = await oddEntries(root, needs.owner, signal)
  for (const path of entries.blocking) await removeBelow(root, path)
  const odd = await relevant(run, entries.odd, base)

  const skipped = odd.filter(({ stops }) => stops)
  const specs = [
    ...['.', ...except].map((spec) => Buffer.from(spec)),
    ...skipped.map(({ bytes }) => Buffer.concat([Buffer.from(':(exclude,literal)'), bytes])),
  ]
  const listed = Buffer.concat(specs.flatMap((spec) => [spec, Buffer.of(0)]))
  const list = await writeBelow(own, 'pathspecs', listed, needs.owner)
  const refusing = ['-c', 'core.protectNTFS=true', '-c', 'core.protectHFS=true']
  const add = [
    ...refusing,
    'add',
    '--all',
    '--ignore-errors',
    `--pathspec-from-file=${list}`,
    '--pathspec-file-nul',
  ]
  const { isWhole, attributes } = await addAll(run, add)
  const { stdout } = await must(['write-tree'], MOST_OUTPUT)

  const named = new Map(odd.map(({ bytes, reason }) => [bytes.toString(), reason]))
  const folders = new Set(named.keys())
  const exclusions = skipped.slice(0, MOST_PATHS).flatMap(({ bytes }) => excluding(bytes.toString()))
  const others = ['ls-files', '-z', '--others', '--modified', '--exclude-standard', '--', '.', ...except]
  const rest = isWhole ? '' : (await run([...others, ...exclusions], MOST_LIST, attributes)).stdout
  for (const path of namesIn(rest).map((name) => name.replace(/\/$/, '')))
    if (!covers(folders, path)) named.set(path, reasonFor(path))
  // An entry below another one is not named again.
  const outermost = [...named].filter(
    ([path]) => !covers(folders, path.slice(0, Math.max(0, path.lastIndexOf('/')))),
  )
  const leftOut = outermost
    .map(([path, reason]) => ({ path, reason }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
  return {
    tree: stdout.trim(),
    leftOut: leftOut.slice(0, MOST_NAMED),
    leftOutCount: leftOut.length,
    git: run,
    keep: () => keepOwnObjects(place, needs.owner),
  }
}

/** Applies a patch to the files of a workspace. Resolves to whether it fits them. */
export const applyPatch = async (
  needs: OwnGitNeeds,
  place: Place,
  { commit, patch }: { commit: string; patch: string },
  signal: AbortSignal,
): Promise<boolean> => {
  const run = await openOwnGit(needs, place, objectFormat(commit), signal)
  const file = await writeBelow(place.own, 'patch', patch, needs.owner)
  return (await run(['apply', '--whitespace=nowarn', file], MOST_OUTPUT)).exitCode === 0
}
