import { join } from 'node:path'

export const benchDir = import.meta.dirname
export const repository = join(benchDir, '../..')
/** Never committed, and on the same disk as the repository. */
export const cacheDir = join(repository, 'node_modules/.cache/bench')
