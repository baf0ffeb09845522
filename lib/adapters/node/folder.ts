import { accessSync, closeSync, constants, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder and its parents, and checks that it is writable; throws the system's error otherwise. It goes one level
 * at a time: a recursive `mkdir` does not return in `/proc`.
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
  const descriptor = openSync(fileOrFolder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
