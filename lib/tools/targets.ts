import type { Workspace } from '../ports/workspace.ts'
import type { PathFact } from './guards/guard.ts'

const url = /\bhttps?:\/\/[^\s'"]*/gi

// `-Iinclude/x` and `-f.env` glue a path to an option: it starts at the first character that a path may start with.
const glued = (piece: string): string => {
  if (!piece.startsWith('-')) return piece
  const start = piece.search(/[./~]/)
  return start < 0 ? '' : piece.slice(start)
}

// Words of a sentence (a commit message) count only when they look like a file.
const looksLikeFile = (piece: string) => /[./_~\\]/.test(piece)

/** Everything in a word of a command that a program could take for a path: `--file=a`, `rev:a`, `@a`, `-fa`, `x "a"`. */
export const pathsInWord = (word: string): string[] => {
  const plain = word.replace(url, ' ')
  const sentence = /\s/.test(plain.trim())
  const pieces = plain.split(/[\s=:,@'"]+/).flatMap((piece) => [piece, glued(piece)])
  const found = pieces.filter((piece) => piece !== '' && (!sentence || looksLikeFile(piece)))
  // The whole word too, since a name may hold any of the separators.
  return [...new Set(plain.trim() === '' ? found : [plain.trim(), ...found])]
}

/** Where each of these paths really leads. */
export const locateAll = (workspace: Workspace, given: readonly string[]): Promise<PathFact[]> =>
  Promise.all(given.map(async (path) => ({ given: path, real: await workspace.locate(path) })))
