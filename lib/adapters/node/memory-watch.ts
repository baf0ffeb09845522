import { realpath, stat } from 'node:fs/promises'
import { basename, relative, sep } from 'node:path'
import { isMemoryName } from '../../core/memory-path.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'

/** How soon a folder that is made is noticed. */
const LOOK_MS = 2_000
/** Editors write a file in several steps: quiet for this long, they are done. */
const QUIET_MS = 300
/** A writer that never stops does not hold a report back for longer. */
const LONGEST_MS = 3_000

type Needs = { folder: string; clock: Clock; log: Log; onChange: () => Promise<unknown> }

const isFolder = async (folder: string) => {
  try {
    return (await stat(folder)).isDirectory()
  } catch {
    return false
  }
}

/** Calls `onChange` after changes have come to rest, one call at a time; none is missed. */
const createDebounce = ({ clock, log, onChange }: Omit<Needs, 'folder'>) => {
  let cancel: (() => void) | undefined
  let since: number | undefined
  let running: Promise<void> = Promise.resolve()
  const fire = () => {
    cancel = undefined
    since = undefined
    const call = async () => {
      await onChange()
    }
    running = running
      .then(call)
      .catch((err) => log.warn({ err }, 'memory was not synchronised with its files'))
  }
  return {
    schedule: () => {
      cancel?.()
      since ??= clock.monotonic()
      cancel = clock.after(Math.min(QUIET_MS, Math.max(0, since + LONGEST_MS - clock.monotonic())), fire)
    },
    /** Drops a scheduled call, and resolves when a call under way has ended. */
    stop: () => {
      cancel?.()
      return running
    },
  }
}

/**
 * Follows a folder and what is below it; links are not followed. A folder that is not there is looked for every two
 * seconds, also after it has gone. The library is loaded when there is a folder.
 */
export const createMemoryWatch = ({ folder, clock, log, onChange }: Needs) => {
  const changes = createDebounce({ clock, log, onChange })
  let stopped = false
  let cancelLook: (() => void) | undefined
  let opening: Promise<void> = Promise.resolve()
  let close: (() => Promise<void>) | undefined
  let watching = false

  const look = () => {
    if (stopped) return
    cancelLook = clock.after(LOOK_MS, () => begin())
  }

  const begin = () => {
    if (stopped) return
    opening = open().catch((err) => {
      log.warn({ err }, 'memory files cannot be watched')
      look()
    })
  }

  const open = async () => {
    if (!(await isFolder(folder))) return look()
    const { watch } = await import('chokidar')
    // The folder may be a link itself; what lies in it may not.
    const root = await realpath(folder)
    if (stopped) return
    const ignored = (path: string) =>
      relative(root, path)
        .split(sep)
        .some((name) => name !== '' && !isMemoryName(name))
    const watcher = watch(root, { followSymlinks: false, ignored })
    close = () => watcher.close()
    watcher.on('all', (event, path) => {
      changes.schedule()
      if (event === 'unlinkDir' && relative(root, path) === '') lose()
    })
    watcher.on('ready', () => {
      watching = true
      // Its files are those of now; changes from here on are seen.
      changes.schedule()
    })
    watcher.on('error', (err) => {
      log.warn({ err, folder: basename(folder) }, 'memory files cannot be watched')
      lose()
    })
  }

  /** The folder has gone, or cannot be watched: it is looked for again. */
  const lose = () => {
    if (close === undefined) return
    watching = false
    const closing = close()
    close = undefined
    opening = closing.then(look, look)
  }

  return {
    start: begin,
    /** Watches no more; resolves when nothing is under way. */
    stop: async (): Promise<void> => {
      stopped = true
      watching = false
      cancelLook?.()
      await opening
      await close?.()
      await changes.stop()
    },
    status: () => ({ enabled: !stopped, watching }),
  }
}
