import { join } from 'node:path'
import { cutText } from '../../core/cut-text.ts'
import { Problem } from '../../core/errors.ts'
import { secretSegment } from '../../core/secret-path.ts'
import type { LeftOut, PackedWorkspace } from '../../ports/workspace.ts'
import type { Commands } from './command.ts'
import { entriesBelow } from './workspace-entries.ts'
import { readBelow, writeBelow } from './workspace-files.ts'

/** The limits of a packed workspace and its archive, which as base64 fits a text of `Blobs`. */
const MOST_MIB = 64
const MOST_ENTRIES = 20_000
const MOST_PACKED = 12_000_000
const BYTES_PER_MIB = 1_048_576
const TIMEOUT_MS = 60_000
const ARCHIVE = 'archive.tar.gz'

const tooLarge = () =>
  new Problem(
    'too_large',
    'workspace_too_large',
    `The workspace is too large to store. The limits are ${MOST_MIB} MiB, ${MOST_PACKED / 1_000_000} MB compressed, and ${MOST_ENTRIES} files`,
  )

const isSecret = (name: Buffer): boolean => secretSegment(name.toString()) !== undefined

/** The paths of an archive, without credential files, and those of entries that cannot be read or are no files. */
const entriesIn = async (root: string, owner: number | undefined) => {
  const paths: Buffer[] = []
  const leftOut: LeftOut[] = []
  let sum = 0
  for await (const { path, kind, bytes, isReadable } of entriesBelow(root, isSecret, owner)) {
    if (kind === 'special' || !isReadable) {
      leftOut.push({ path: path.toString(), reason: kind === 'special' ? 'special' : 'unreadable' })
      continue
    }
    paths.push(path)
    sum += kind === 'file' ? bytes : 0
    if (sum > MOST_MIB * BYTES_PER_MIB || paths.length > MOST_ENTRIES) throw tooLarge()
  }
  return { paths, leftOut }
}

type Place = {
  root: string
  /** A folder of the service that programs of the agent cannot see. */
  own: string
  /** The user who runs the programs of the service; absent: the service's own user. */
  owner: number | undefined
}

/** Packs the folder below `root` as a compressed tar archive, and unpacks it, by `tar` of the service. */
export const workspaceArchive = (commands: Pick<Commands, 'run'>, { root, own, owner }: Place) => {
  const archive = join(own, ARCHIVE)

  const tar = async (args: readonly string[], signal: AbortSignal): Promise<void> => {
    const limits = { timeoutMs: TIMEOUT_MS, maxBytes: 4_096, signal }
    const where = { by: 'service' as const, cwd: root, home: own, tmp: own, writes: [root, own], alone: true }
    const { exitCode, stderr } = await commands.run({ file: 'tar', args, ...where, ...limits })
    // 1: a file was changed as it was read, or has vanished. The archive is complete.
    if (exitCode !== 0 && exitCode !== 1) throw new Error(`tar failed: ${cutText(stderr.trim(), 300)}`)
  }

  return {
    /** The archive as base64. Throws Problem `too_large` `workspace_too_large`. */
    pack: async (signal: AbortSignal): Promise<PackedWorkspace> => {
      const { paths, leftOut } = await entriesIn(root, owner)
      const [dot, end] = [Buffer.from('./'), Buffer.of(0)]
      const listed = Buffer.concat(paths.flatMap((path) => [dot, path, end]))
      const list = await writeBelow(own, 'list', listed, owner)
      await tar(['--no-recursion', '--null', '-czf', archive, '-C', root, '-T', list], signal)
      const bytes = await readBelow(own, ARCHIVE, MOST_PACKED, owner)
      if (bytes === undefined) throw tooLarge()
      return { archive: bytes.toString('base64'), leftOut }
    },
    /** Unpacks into an empty `root`. */
    unpack: async (packed: string, signal: AbortSignal): Promise<void> => {
      await writeBelow(own, ARCHIVE, Buffer.from(packed, 'base64'), owner)
      await tar(['--no-same-owner', '-xpzf', archive, '-C', root], signal)
    },
  }
}
