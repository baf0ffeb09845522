import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const benchDir = import.meta.dirname
export const repository = join(benchDir, '../..')
/** Never committed, and on the same disk as the repository. */
export const cacheDir = join(repository, 'node_modules/.cache/bench')

/** What `npm start` gives to Node before the program. */
export const startFlags = (): string[] => {
  const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
  return String(scripts.start)
    .split(' ')
    .filter((word) => word.startsWith('--'))
}
