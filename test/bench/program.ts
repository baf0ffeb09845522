import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Where a program of the operating system is; an error that says how to install it when it is not there. */
export const programPath = (name: 'redis-server' | 'wrk'): string => {
  const found = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(isExecutable)
  if (found) return found
  throw new Error(`${name} is missing. On Debian: apt-get install --no-install-recommends ${name}`)
}

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
