// A path may be an address of a file. Addresses such as `https://host/path` are no paths of this machine.
const QUOTED = /(['"`])((?:file:\/\/)?\/(?!\/)[^'"`\n]*)\1/g
const PLAIN = /(?<![\w/.~…-])((?:file:\/\/)?\/(?!\/)[^\s'"`:,;)]+)/g

/** A text in which `…` replaces absolute paths, quoted or not. */
export const withoutPaths = (text: string): string => text.replace(QUOTED, '…').replace(PLAIN, '…')

const shortPath = (path: string, folder: string): string => {
  const plain = path.replace(/^file:\/\//, '')
  if (plain === folder) return '.'
  if (plain.startsWith(`${folder}/`)) return plain.slice(folder.length + 1)
  // One segment is no place of this machine, but an order such as `/login`.
  return /^\/[^/]+$/.test(plain) ? path : `…${plain.slice(plain.replace(/\/$/, '').lastIndexOf('/'))}`
}

/** A text whose absolute paths are relative to a folder; of those outside of it only the last part stays, behind `…/`. */
export const withShortPaths = (text: string, folder: string): string =>
  text
    .replace(QUOTED, (_, quote, path) => quote + shortPath(path, folder) + quote)
    .replace(PLAIN, (path) => shortPath(path, folder))
