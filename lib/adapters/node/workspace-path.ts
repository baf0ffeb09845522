import { lstat, realpath } from 'node:fs/promises'
import { dirname, join, basename as nameOf, relative, resolve, sep } from 'node:path'

const codeOf = (thrown: unknown) => (thrown as NodeJS.ErrnoException).code ?? ''

const isLink = async (path: string): Promise<boolean> => {
  try {
    return (await lstat(path)).isSymbolicLink()
  } catch {
    return false
  }
}

/**
 * The real place of a path that need not exist: the deepest part that exists is resolved. Undefined when it cannot be
 * told: a link that leads nowhere yet, a circle, a folder that may not be read.
 */
const realPlace = async (path: string): Promise<string | undefined> => {
  try {
    return await realpath(path)
  } catch (thrown) {
    const absent = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(codeOf(thrown))
    if (!absent || (await isLink(path)) || dirname(path) === path) return undefined
    const parent = await realPlace(dirname(path))
    return parent && join(parent, nameOf(path))
  }
}

/** Where a path really leads, relative to `root` (itself real); undefined when that is outside. */
export const locateIn = async (root: string, path: string): Promise<string | undefined> => {
  if (path.includes('\0')) return undefined
  const real = await realPlace(resolve(root, path))
  if (real === root) return '.'
  return real?.startsWith(root + sep) ? relative(root, real).split(sep).join('/') : undefined
}
