import { access, constants, realpath, stat } from 'node:fs/promises'
import * as path from 'node:path'

/** A program of this machine, and what of the disk a sandbox has to show for it to run. */
export type FoundProgram = { file: string; reads: readonly string[] }

const isProgram = async (file: string): Promise<boolean> => {
  try {
    await access(file, constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}

/** The outermost `node_modules` around a file, where the packages are that it needs; else its folder. */
const packageFolder = (file: string): string => {
  const segments = file.split(path.sep)
  const at = segments.indexOf('node_modules')
  return at < 0 ? path.dirname(file) : segments.slice(0, at + 1).join(path.sep)
}

/** Finds a program by its path, or by its name in the folders of PATH. Undefined where there is none. */
const findProgram = async (command: string, PATH: string): Promise<FoundProgram | undefined> => {
  const places = command.includes(path.sep)
    ? [path.resolve(command)]
    : PATH.split(path.delimiter).map((folder) => path.join(folder, command))
  for (const file of places) {
    if (!(await isProgram(file))) continue
    const real = await realpath(file)
    return { file, reads: [...new Set([path.dirname(file), packageFolder(real)])] }
  }
  return undefined
}

/** A search for a program, repeated at each `look`: an operator may install it while the service runs. */
export type ProgramSearch = {
  /** What the last look has found. */
  found(): FoundProgram | undefined
  look(): Promise<FoundProgram | undefined>
}

export const searchProgram = (command: string, PATH: string): ProgramSearch => {
  let found: FoundProgram | undefined
  return {
    found: () => found,
    look: async () => {
      found = await findProgram(command, PATH)
      return found
    },
  }
}
