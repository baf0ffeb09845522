import { accessSync, closeSync, constants, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes sure that a folder is there and can be written to, and those above it; throws what the system says otherwise.
 * One level at a time: a recursive `mkdir` does not come back from `/proc`.
 */
export const ensureFolder = (folder: string): void => {
  if (!existsSync(folder)) {
    if (dirname(folder) !== folder) ensureParent(dirname(folder))
    mkdirSync(folder, { mode: 0o700 })
  }
  accessSync(folder, constants.W_OK | constants.X_OK)
}

const ensureParent = (folder: string) => {
  if (!existsSync(folder)) ensureFolder(folder)
}

/** Waits until a file, or the names in a folder, are on the disk. */
export const syncPath = (fileOrFolder: string): void => {
  const opened = openSync(fileOrFolder, 'r')
  try {
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
}
