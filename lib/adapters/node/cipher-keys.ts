import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs'
import * as path from 'node:path'
import { errorMessage, Problem } from '../../core/errors.ts'
import type { Entropy } from '../../ports/entropy.ts'
import type { Keys } from './cipher.ts'
import { ensureFolder, syncPath } from './folder.ts'

export const KEY_FILE = 'encryption.key'
const KEY_BYTES = 32
const ANYBODY_ELSE = 0o077

type Needs = { folder: string; entropy: Entropy }

/**
 * The keys of a folder's key file, one per line in base64; the file is made with one key when it is missing. It is read
 * once. Throws Problem `unavailable` `key_file_refused` for a file that other users may read, or that has no keys.
 */
export const keysOfFile = (needs: Needs): (() => Keys) => {
  let keys: Keys | undefined
  return () => {
    keys ??= readKeys(needs.folder) ?? madeKeys(needs)
    return keys
  }
}

export const readKeys = (folder: string): Keys | undefined => {
  const file = openKeyFile(folder)
  if (file === undefined) return undefined
  try {
    const { mode } = fstatSync(file)
    if ((mode & ANYBODY_ELSE) !== 0) throw refused('other users can read it. Run chmod 600 on it')
    return keysIn(readFileSync(file, 'utf8'))
  } finally {
    closeSync(file)
  }
}

const openKeyFile = (folder: string): number | undefined => {
  try {
    return openSync(path.join(folder, KEY_FILE), constants.O_RDONLY | constants.O_NOFOLLOW)
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return undefined
    throw refused('it cannot be opened', thrown)
  }
}

const keysIn = (text: string): Keys => {
  const [first, ...more] = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => Buffer.from(line, 'base64'))
  if (first === undefined || [first, ...more].some(({ length }) => length !== KEY_BYTES))
    throw refused('every line must be 32 bytes in base64')
  return [first, ...more]
}

/** Makes the file atomically, on the disk before it is used. Of two processes, both read the file that got the name. */
const madeKeys = ({ folder, entropy }: Needs): Keys => {
  const file = path.join(folder, KEY_FILE)
  const draft = `${file}.${entropy(6).toString('hex')}`
  try {
    ensureFolder(folder)
    writeDurably(draft, `${entropy(KEY_BYTES).toString('base64')}\n`)
    takeName(draft, file)
    syncPath(folder)
  } catch (thrown) {
    throw refused(`it cannot be created (${errorMessage(thrown)})`, thrown)
  } finally {
    rmSync(draft, { force: true })
  }
  const keys = readKeys(folder)
  if (keys === undefined) throw refused('it was deleted')
  return keys
}

const writeDurably = (file: string, text: string) => {
  const descriptor = openSync(file, 'wx', 0o600)
  try {
    writeSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

const takeName = (draft: string, file: string) => {
  try {
    linkSync(draft, file)
  } catch (thrown) {
    if (errorCode(thrown) !== 'EEXIST') throw thrown
  }
}

const errorCode = (thrown: unknown): unknown =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown ? thrown.code : undefined

const refused = (why: string, cause?: unknown) =>
  new Problem(
    'unavailable',
    'key_file_refused',
    `The key file ${KEY_FILE} in DATA_DIR cannot be used: ${why}`,
    {
      cause,
    },
  )
