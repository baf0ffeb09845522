import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Removes a folder, also where programs took the rights to its folders from their own user, or made a tree that is deeper
 * than a path may be long: the programs of the system go down such trees folder by folder. Links are not followed.
 */
export const removeFolder = async (path: string): Promise<void> => {
  const remove = () => run('rm', ['-rf', '--', path])
  try {
    await remove()
  } catch {
    await run('chmod', ['-R', 'u+rwX', '--', path])
    await remove()
  }
}
