import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { Problem } from '../../core/errors.ts'
import { pathBelow } from './workspace-entries.ts'

/** The files that git and ripgrep open in every folder. */
const SETTINGS: ReadonlySet<string> = new Set([
  ...['.git', '.gitignore', '.gitattributes', '.gitmodules', '.mailmap'],
  ...['.ignore', '.rgignore'],
])

/** Whether a program that reads the file waits: it is a pipe or a device, or a link to one. */
const isEndless = async (place: Buffer, entry: Dirent<Buffer>): Promise<boolean> => {
  if (entry.isFile()) return false
  const found = await stat(place).catch(() => undefined)
  return found !== undefined && (found.isFIFO() || found.isCharacterDevice())
}

type Folder = { path: Buffer | undefined; isOfGit: boolean }

const pathIn = ({ path }: Folder, { name }: Dirent<Buffer>): Buffer =>
  path === undefined ? name : Buffer.concat([path, Buffer.from('/'), name])

const entriesIn = async (root: string, { path }: Folder): Promise<Dirent<Buffer>[]> => {
  const place = path === undefined ? root : pathBelow(root, path)
  return readdir(place, { withFileTypes: true, encoding: 'buffer' }).catch(() => [])
}

/**
 * Throws Problem `invalid` `path_unfit` for a pipe or a device in the place of a file that git or ripgrep opens: in a
 * folder of git, which has an entry `HEAD`, or as settings. The program would wait for it until its time limit.
 */
export const refuseEndlessFiles = async (root: string): Promise<void> => {
  const folders: Folder[] = [{ path: undefined, isOfGit: false }]
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    const entries = await entriesIn(root, at)
    const isOfGit = at.isOfGit || entries.some(({ name }) => name.toString() === 'HEAD')
    for (const entry of entries) {
      const [name, path] = [entry.name.toString(), pathIn(at, entry)]
      if (entry.isDirectory()) folders.push({ path, isOfGit: isOfGit || name === '.git' })
      else if ((isOfGit || SETTINGS.has(name)) && (await isEndless(pathBelow(root, path), entry)))
        throw new Problem('invalid', 'path_unfit', `${path} is not a regular file: remove it first`)
    }
  }
}
