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

/** A folder that no sandbox of an agent shows. */
export type PrivateFolder = {
  path: string
  /** What people know it by: its setting, where it has one. */
  name: string
  /** Whether its parts are not shown either. */
  isClosed: boolean
}

const realPlace = (place: string): Promise<string> => realpath(place).catch(() => place)

/** The private folder that a sandbox would show with a folder or file; undefined when it would show none. */
export const findPrivateFolder = async (
  shown: string,
  privateFolders: readonly PrivateFolder[],
): Promise<PrivateFolder | undefined> => {
  const place = await realPlace(shown)
  for (const folder of privateFolders) {
    const own = await realPlace(folder.path)
    if (encloses(place, own) || (folder.isClosed && encloses(own, place))) return folder
  }
  return undefined
}

/**
 * What a sandbox shows of a program: its folder and that of its package. Where one of them would show a private folder,
 * the program is run at its real place, and that folder is not shown.
 */
const shownParts = async (file: string, privateFolders: readonly PrivateFolder[]): Promise<FoundProgram> => {
  const isPrivate = async (folder: string) => (await findPrivateFolder(folder, privateFolders)) !== undefined
  const real = await realpath(file)
  const ofPackage = packageFolder(real)
  const isPackagePrivate = await isPrivate(ofPackage)
  if (isPackagePrivate || (await isPrivate(path.dirname(file))))
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
  privateFolders: readonly PrivateFolder[]
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
