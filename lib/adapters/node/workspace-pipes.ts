import type { Dirent } from 'node:fs'
import { lstat, readdir, stat } from 'node:fs/promises'
import { Problem } from '../../core/errors.ts'
import { pathBelow } from './workspace-entries.ts'

/** The files that git and ripgrep open in a folder. */
const SETTINGS: ReadonlySet<string> = new Set([
  ...['.git', '.gitignore', '.gitattributes', '.gitmodules', '.mailmap'],
  ...['.ignore', '.rgignore'],
])

/** Whether a program that reads the file waits: it is a pipe or a device, or a link to one. */
const isEndless = async (place: Buffer, entry: Dirent<Buffer>): Promise<boolean> => {
  if (entry.isFile()) return false
  const stats = await stat(place).catch(() => undefined)
  return stats !== undefined && (stats.isFIFO() || stats.isCharacterDevice())
}

const entriesIn = (place: string | Buffer): Promise<Dirent<Buffer>[]> =>
  readdir(place, { withFileTypes: true, encoding: 'buffer' }).catch(() => [])

const isFolder = (path: string): Promise<boolean> =>
  lstat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )

/** The entries of git's own folder; its objects are written by git alone, and are many. */
async function* entriesOfGit(root: string, folder: Buffer): AsyncGenerator<[path: Buffer, Dirent<Buffer>]> {
  for (const entry of await entriesIn(pathBelow(root, folder))) {
    const path = Buffer.concat([folder, Buffer.from('/'), entry.name])
    if (!entry.isDirectory()) yield [path, entry]
    else if (entry.name.toString() !== 'objects') yield* entriesOfGit(root, path)
  }
}

/**
 * Throws Problem `invalid` `path_unfit` for a pipe or a device in the place of a file that git or ripgrep opens in the
 * root or in `.git`: the program would wait for it until its time limit, as it does for one in another folder.
 */
export const refuseEndlessFiles = async (root: string): Promise<void> => {
  const refuse = async (path: Buffer, entry: Dirent<Buffer>) => {
    if (await isEndless(pathBelow(root, path), entry))
      throw new Problem('invalid', 'path_unfit', `${path} is not a regular file: remove it first`)
  }
  for (const entry of await entriesIn(root))
    if (SETTINGS.has(entry.name.toString())) await refuse(entry.name, entry)
  // A link in its place may lead to any folder of the machine, which no program in a sandbox reads.
  if (!(await isFolder(`${root}/.git`))) return
  for await (const [path, entry] of entriesOfGit(root, Buffer.from('.git'))) await refuse(path, entry)
}
