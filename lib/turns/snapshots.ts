import { shortenedText } from '../core/cut-text.ts'
import { errorMessage, Problem } from '../core/errors.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { AnyWrite, Store } from '../ports/store.ts'
import type { Toolbox } from '../ports/tool.ts'
import type { PackedWorkspace, Workspaces } from '../ports/workspace.ts'
import { leasedWrite } from './leases.ts'
import { type ConversationRow, conversations as conversationRows, workspaceSnapshots } from './rows.ts'

const LONGEST_MS = 60_000
const LOST = 'The files of the last turn were too many or too large to store. The workspace is empty.'
const FAILED = 'The files of this turn could not be stored. The next turn starts with the last stored files.'

const MOST_NAMED = 5
const LONGEST_PATH = 100

const leftOutText = (leftOut: PackedWorkspace['leftOut']): string | undefined => {
  if (leftOut.length === 0) return undefined
  const named = leftOut
    .slice(0, MOST_NAMED)
    .map(({ path }) => JSON.stringify(shortenedText(path, LONGEST_PATH)))
  const more = leftOut.length > MOST_NAMED ? ` and ${leftOut.length - MOST_NAMED} more` : ''
  return `Not stored for the next turn, because they are unreadable or not regular files: ${named.join(', ')}${more}.`
}

/** The workspaces of conversations between turns, which may run in different processes. */
export type Snapshots = {
  /** The tools of a turn. Before the first call the workspace is restored to the state after the previous turn. */
  withRestore(conversationId: string, toolbox: Toolbox): Toolbox
  /**
   * Stores the files that the turn changed; `token` is its lease. Resolves to a notice for the user and the model when
   * they could not be stored. A turn that has lost its lease stores nothing.
   */
  storeFiles(conversationId: string, token: string): Promise<string | undefined>
  /** Whether a turn in this process uses the workspace of that name. */
  isInUse(conversationId: string): boolean
}

/** For a single process, whose disk keeps workspaces between turns. */
export const noSnapshots: Snapshots = {
  withRestore: (_, toolbox) => toolbox,
  storeFiles: async () => undefined,
  isInUse: () => false,
}

type Needs = {
  store: Store
  clock: Clock
  ids: Ids
  log: Log
  workspaces: Pick<Workspaces, 'open' | 'pack' | 'unpack' | 'marked' | 'mark'>
  changesFiles: (tool: string) => boolean
}

/** A workspace in use by a turn. `version` is that of the snapshot that the turn began with. */
type InUse = { ready: Promise<void>; version: string | undefined; lost: boolean; changed: boolean }

/**
 * For processes that come and go: a snapshot is stored at the end of each turn that may have changed files, and before a
 * turn waits for approval. The mark of a workspace on disk is the version of the snapshot that it equals; it has no mark
 * during a turn, so that the files of a turn that died are replaced by the snapshot.
 */
export const createSnapshots = ({ store, clock, ids, log, workspaces, changesFiles }: Needs): Snapshots => {
  const inUse = new Map<string, InUse>()

  const restore = async (id: string, use: InUse): Promise<void> => {
    await workspaces.open(id)
    const { filesVersion } = (await store.get(conversationRows, id)) ?? {}
    if (filesVersion !== (await workspaces.marked(id))) {
      const snapshot = await store.get(workspaceSnapshots, id, true)
      await workspaces.unpack(id, snapshot?.archive, AbortSignal.timeout(LONGEST_MS))
      use.lost = snapshot !== undefined && snapshot.archive === undefined
    }
    use.version = filesVersion
    await workspaces.mark(id, undefined)
  }

  const use = (id: string): InUse => {
    const present = inUse.get(id)
    if (present) return present
    const begun: InUse = { ready: Promise.resolve(), version: undefined, lost: false, changed: false }
    begun.ready = restore(id, begun)
    inUse.set(id, begun)
    // The next call tries again.
    begun.ready.catch(() => inUse.delete(id))
    return begun
  }

  const packed = (id: string): Promise<PackedWorkspace | Problem> =>
    workspaces.pack(id, AbortSignal.timeout(LONGEST_MS)).catch((thrown) => {
      if (thrown instanceof Problem && thrown.code === 'workspace_too_large') return thrown
      throw thrown
    })

  /** Stores a snapshot while the turn has its lease; resolves to a notice when it does not have all files. */
  const put = async (id: string, token: string): Promise<string | undefined> => {
    const pack = await packed(id)
    const isLost = pack instanceof Problem
    const version = ids.next('wsv')
    const { applied } = await store.commit<ConversationRow>(
      leasedWrite(id, token, { set: { filesVersion: version } }),
      [await snapshotWrite(id, isLost ? undefined : pack.archive)],
    )
    if (applied) await workspaces.mark(id, version)
    return isLost ? pack.message : leftOutText(pack.leftOut)
  }

  const snapshotWrite = async (id: string, archive: string | undefined): Promise<AnyWrite> => {
    const createdAt = iso(clock.now())
    const row = archive === undefined ? { createdAt } : { createdAt, archive }
    if ((await store.get(workspaceSnapshots, id)) === undefined)
      return { insert: workspaceSnapshots, row: { conversationId: id, ...row } }
    return { update: workspaceSnapshots, key: id, set: row, unset: archive === undefined ? ['archive'] : [] }
  }

  const storeFiles: Snapshots['storeFiles'] = async (id, token) => {
    const used = inUse.get(id)
    if (used === undefined) return undefined
    inUse.delete(id)
    try {
      await used.ready
      if (used.changed) return await put(id, token)
      await workspaces.mark(id, used.version)
      return undefined
    } catch (thrown) {
      log.error({ conversationId: id, reason: errorMessage(thrown) }, 'the files of a turn were not stored')
      return used.changed ? FAILED : undefined
    }
  }

  const withRestore: Snapshots['withRestore'] = (id, toolbox) => ({
    ...toolbox,
    ask: async (call, signal) => {
      await use(id).ready
      return toolbox.ask(call, signal)
    },
    call: async (call, signal, options) => {
      const used = use(id)
      await used.ready
      const { changed } = used
      // An aborted call may have changed files.
      used.changed ||= changesFiles(call.name)
      const outcome = await toolbox.call(call, signal, options)
      const isMade = outcome.decision === 'allowed' || outcome.decision === 'approved'
      if (!isMade) used.changed = changed
      if (!used.lost || !isMade) return outcome
      used.lost = false
      return { ...outcome, content: `[${LOST}]\n\n${outcome.content}` }
    },
  })

  return { withRestore, storeFiles, isInUse: (id) => inUse.has(id) }
}
