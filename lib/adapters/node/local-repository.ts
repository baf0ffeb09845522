import { readFile, realpath, stat } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'

type Found = { gitDir: string; reads: string[] }

/** More than any of these files has that git wrote; alternates go so deep in git too. */
const MOST_BYTES = 65_536
const MOST_ALTERNATES = 5

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )

/** The text of a small file; undefined where there is none. Throws for one that is too large to be believed. */
const textAt = async (path: string): Promise<string | undefined> => {
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile()) return undefined
  if (found.size > MOST_BYTES) throw new Error(`${path} is too large`)
  return readFile(path, 'utf8')
}

/** The git directory at a path, or at the one that a `.git` file names. */
const gitDirAt = async (path: string): Promise<string | undefined> => {
  const [, named] = /^gitdir: (.*)/.exec((await textAt(path)) ?? '') ?? []
  const place = named === undefined ? path : resolve(dirname(path), named)
  return (await isThere(join(place, 'HEAD'))) ? realpath(place) : undefined
}

/** A folder of objects, and those that it borrows from. Throws for a name that only git can read. */
const objectFolders = async (folder: string, depth = MOST_ALTERNATES): Promise<string[]> => {
  if (!(await isThere(folder))) return []
  const real = await realpath(folder)
  const listed = depth === 0 ? '' : ((await textAt(join(real, 'info/alternates'))) ?? '')
  const lines = listed.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  if (lines.some((line) => line.startsWith('"'))) throw new Error(`${real} has a quoted alternate`)
  const borrowed = await Promise.all(lines.map((line) => objectFolders(resolve(real, line), depth - 1)))
  return [real, ...borrowed.flat()]
}

const foundAt = async (candidate: string): Promise<Found | undefined> => {
  const gitDir = await gitDirAt(candidate)
  if (gitDir === undefined) return undefined
  const shared = (await textAt(join(gitDir, 'commondir')))?.trim()
  const common = shared === undefined ? gitDir : await realpath(resolve(gitDir, shared))
  const all = [...new Set([gitDir, common, ...(await objectFolders(join(common, 'objects')))])]
  return { gitDir, reads: all.filter((folder) => !folder.startsWith(common + sep) || folder === gitDir) }
}

/**
 * The git directory behind a path of this machine, looked for where git looks, and every folder that git reads to clone
 * it: the common one of a linked worktree, and those that its objects are borrowed from (gitrepository-layout(5)). Real
 * paths; undefined where there is no repository.
 */
export const localRepository = async (path: string): Promise<Found | undefined> => {
  for (const candidate of [join(path, '.git'), path, join(`${path}.git`, '.git'), `${path}.git`]) {
    const found = await foundAt(candidate).catch(() => undefined)
    if (found !== undefined) return found
  }
  return undefined
}
