import { lstat, realpath } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'

const errorCode = (thrown: unknown) => (thrown as NodeJS.ErrnoException).code ?? ''

const isLink = async (path: string): Promise<boolean> => {
  try {
    return (await lstat(path)).isSymbolicLink()
  } catch {
    return false
  }
}

/** The real path of a path that need not exist; undefined for a dangling link, a cycle, or without permission. */
const realPlace = async (path: string): Promise<string | undefined> => {
  try {
    return await realpath(path)
  } catch (thrown) {
    const absent = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(errorCode(thrown))
    if (!absent || (await isLink(path)) || dirname(path) === path) return undefined
    const parent = await realPlace(dirname(path))
    return parent && join(parent, basename(path))
  }
}

/** The real path, relative to the real `root`; undefined when it is outside. */
export const locateIn = async (root: string, path: string): Promise<string | undefined> => {
  if (path.includes('\0')) return undefined
  const real = await realPlace(resolve(root, path))
  if (real === root) return '.'
  return real?.startsWith(root + sep) ? relative(root, real).split(sep).join('/') : undefined
}
