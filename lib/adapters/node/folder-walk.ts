import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { isBlobKey } from '../../core/blob.ts'

/** Ends the name of every folder, so that no file can have it. */
export const FOLDER_MARK = '+'

/** What a folder holds, as keys: a folder's ends with `/`. Sorted so, a walk meets keys in the order of whole keys. */
const entriesIn = async (folder: string, above: string): Promise<string[]> =>
  (await entriesOf(folder, above === '')).flatMap((entry) => keyOf(entry, above)).sort()

const entriesOf = async (folder: string, isRoot: boolean): Promise<Dirent[]> => {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (thrown) {
    // A folder that became empty may have been removed meanwhile; the root never is.
    if (isRoot || (thrown as NodeJS.ErrnoException).code !== 'ENOENT') throw thrown
    return []
  }
}

const keyOf = (entry: Dirent, above: string): string[] => {
  if (entry.isFile()) return isBlobKey(above + entry.name) ? [above + entry.name] : []
  const isFolder = entry.isDirectory() && entry.name.endsWith(FOLDER_MARK)
  return isFolder ? [`${above}${entry.name.slice(0, -FOLDER_MARK.length)}/`] : []
}

/** The keys under `root` that start with `prefix` and come after `after`, in code-unit order. Links are passed over. */
export async function* blobKeysIn(
  root: string,
  prefix: string,
  after = '',
  above = '',
): AsyncGenerator<string> {
  const folder = join(root, above.replaceAll('/', `${FOLDER_MARK}/`))
  for (const key of await entriesIn(folder, above)) {
    if (!key.endsWith('/')) {
      if (key.startsWith(prefix) && key > after) yield key
    } else if (mayHold(key, prefix, after)) yield* blobKeysIn(root, prefix, after, key)
  }
}

/** Whether a folder can hold keys that are wanted: all of them start with its own. */
const mayHold = (folder: string, prefix: string, after: string) =>
  (folder.startsWith(prefix) || prefix.startsWith(folder)) && (folder > after || after.startsWith(folder))
