import { lstat, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cutText } from '../../core/cut-text.ts'
import { Problem } from '../../core/errors.ts'
import { secretSegment } from '../../core/secret-path.ts'
import type { Commands } from '../../ports/command.ts'

/** The limits of a packed workspace and its archive, which as base64 fits a text of `Blobs`. */
const MOST_MIB = 64
const MOST_ENTRIES = 20_000
const MOST_PACKED = 12_000_000
const BYTES_PER_MIB = 1_048_576
const TIMEOUT_MS = 60_000

const tooLarge = () =>
  new Problem(
    'too_large',
    'workspace_too_large',
    `The workspace holds more than can be kept: ${MOST_MIB} MiB, ${MOST_PACKED / 1_000_000} MB when compressed, or ${MOST_ENTRIES} files`,
  )

type Entry = { path: string; bytes: number }

/** Files, folders and links below a folder, without following links and without credential files. */
async function* entriesBelow(root: string, folder: string): AsyncGenerator<Entry> {
  for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
    if (secretSegment(entry.name) !== undefined) continue
    const path = join(folder, entry.name)
    if (entry.isFile()) yield { path, bytes: (await lstat(join(root, path))).size }
    if (entry.isSymbolicLink() || entry.isDirectory()) yield { path, bytes: 0 }
    if (entry.isDirectory()) yield* entriesBelow(root, path)
  }
}

/** The paths of an archive. */
const pathsIn = async (root: string): Promise<string[]> => {
  const paths: string[] = []
  let sum = 0
  for await (const { path, bytes } of entriesBelow(root, '.')) {
    paths.push(path)
    sum += bytes
    if (sum > MOST_MIB * BYTES_PER_MIB || paths.length > MOST_ENTRIES) throw tooLarge()
  }
  return paths
}

type Place = {
  root: string
  /** A folder of the service that programs of the agent cannot see. */
  own: string
}

/**
 * Packs the folder below `root` as a compressed tar archive, and unpacks it. Both run `tar` as a program of the service.
 */
export const workspaceArchive = (commands: Commands, { root, own }: Place) => {
  const [list, archive] = [join(own, 'list'), join(own, 'archive.tar.gz')]

  const tar = async (args: readonly string[], signal: AbortSignal): Promise<void> => {
    const limits = { timeoutMs: TIMEOUT_MS, maxBytes: 4_096, signal }
    const where = { by: 'service' as const, cwd: root, home: own, tmp: own, writes: [root, own] }
    const { exitCode, stderr } = await commands.run({ file: 'tar', args, ...where, ...limits })
    if (exitCode !== 0) throw new Error(`tar failed: ${cutText(stderr.trim(), 300)}`)
  }

  return {
    /** Returns base64. Throws Problem `too_large` `workspace_too_large`. */
    pack: async (signal: AbortSignal): Promise<string> => {
      await writeFile(list, (await pathsIn(root)).map((path) => `./${path}\0`).join(''))
      await tar(['--no-recursion', '--null', '-czf', archive, '-C', root, '-T', list], signal)
      if ((await stat(archive)).size > MOST_PACKED) throw tooLarge()
      return readFile(archive, 'base64')
    },
    /** Unpacks into an empty `root`. */
    unpack: async (packed: string, signal: AbortSignal): Promise<void> => {
      await writeFile(archive, packed, 'base64')
      await tar(['--no-same-owner', '-xpzf', archive, '-C', root], signal)
    },
  }
}
