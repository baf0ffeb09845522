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

const encloses = (folder: string, place: string): boolean =>
  path.relative(folder, place).split(path.sep)[0] !== '..'

/**
 * What a sandbox shows of a program: its folder and that of its package. Where one of them has a private folder in it, or
 * is one, the program is run at its real place, and that folder is not shown.
 */
const shownParts = async (file: string, privateFolders: readonly string[]): Promise<FoundProgram> => {
  const places = await Promise.all(privateFolders.map((folder) => realpath(folder).catch(() => folder)))
  const isPrivate = (folder: string) => places.some((place) => encloses(folder, place))
  const real = await realpath(file)
  const ofPackage = packageFolder(real)
  const isPackagePrivate = isPrivate(ofPackage)
  if (isPackagePrivate || isPrivate(await realpath(path.dirname(file))))
    return { file: real, reads: [isPackagePrivate ? real : ofPackage] }
  return { file, reads: [...new Set([path.dirname(file), ofPackage])] }
}

/** Finds a program by its path, or by its name in the folders of PATH. Undefined where there is none. */
const findProgram = async (
  command: string,
  { PATH, privateFolders }: Places,
): Promise<FoundProgram | undefined> => {
  const files = command.includes(path.sep)
    ? [path.resolve(command)]
    : PATH.split(path.delimiter).map((folder) => path.join(folder, command))
  for (const file of files) if (await isProgram(file)) return shownParts(file, privateFolders)
  return undefined
}

type Places = {
  PATH: string
  /** Folders that no sandbox shows because a program lies in or above them: the home of the service's user, its data. */
  privateFolders: readonly string[]
}

/** A search for a program, repeated at each `look`: an operator may install it while the service runs. */
export type ProgramSearch = {
  /** What the last look has found. */
  found(): FoundProgram | undefined
  look(): Promise<FoundProgram | undefined>
}

export const searchProgram = (command: string, places: Places): ProgramSearch => {
  let found: FoundProgram | undefined
  return {
    found: () => found,
    look: async () => {
      found = await findProgram(command, places)
      return found
    },
  }
}
