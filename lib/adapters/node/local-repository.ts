import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'

type LocalGit = { gitDir: string; reads: string[] }

/** No file that git wrote is larger; git's own limit of nested alternates is the same. */
const MOST_BYTES = 65_536
const MOST_ALTERNATES = 5

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )

/** The text of a small file; undefined for a missing one. Throws for one that is too large for git's files. */
const textAt = async (path: string): Promise<string | undefined> => {
  const stats = await stat(path).catch(() => undefined)
  if (!stats?.isFile()) return undefined
  if (stats.size > MOST_BYTES) throw new Error(`${path} is too large`)
  return readFile(path, 'utf8')
}

/** The git directory at a path, or the one that a `.git` file names. */
const gitDirAt = async (path: string): Promise<string | undefined> => {
  const [, named] = /^gitdir: (.*)/.exec((await textAt(path)) ?? '') ?? []
  const place = named === undefined ? path : resolve(dirname(path), named)
  return (await isThere(join(place, 'HEAD'))) ? realpath(place) : undefined
}

/** A folder of objects, and its alternates. Throws for a name that only git can read. */
const objectFolders = async (folder: string, depth = MOST_ALTERNATES): Promise<string[]> => {
  if (!(await isThere(folder))) return []
  const real = await realpath(folder)
  const listed = depth === 0 ? '' : ((await textAt(join(real, 'info/alternates'))) ?? '')
  const lines = listed.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  if (lines.some((line) => line.startsWith('"'))) throw new Error(`${real} has a quoted alternate`)
  const borrowed = await Promise.all(lines.map((line) => objectFolders(resolve(real, line), depth - 1)))
  return [real, ...borrowed.flat()]
}

const repositoryAt = async (candidate: string): Promise<LocalGit | undefined> => {
  const gitDir = await gitDirAt(candidate)
  if (gitDir === undefined) return undefined
  const shared = (await textAt(join(gitDir, 'commondir')))?.trim()
  const common = shared === undefined ? gitDir : await realpath(resolve(gitDir, shared))
  const all = [...new Set([gitDir, common, ...(await objectFolders(join(common, 'objects')))])]
  return { gitDir, reads: all.filter((folder) => !folder.startsWith(common + sep) || folder === gitDir) }
}

/**
 * The git directory of a path of this machine, found as git does, and every folder that git reads for a clone: the common
 * directory of a linked worktree, and alternates (gitrepository-layout(5)). Real paths; undefined when there is no
 * repository.
 */
export const localRepository = async (path: string): Promise<LocalGit | undefined> => {
  for (const candidate of [join(path, '.git'), path, join(`${path}.git`, '.git'), `${path}.git`]) {
    const repository = await repositoryAt(candidate).catch(() => undefined)
    if (repository !== undefined) return repository
  }
  return undefined
}
