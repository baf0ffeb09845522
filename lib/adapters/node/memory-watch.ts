import { realpath, stat } from 'node:fs/promises'
import { basename, relative, sep } from 'node:path'
import { isMemoryName } from '../../core/memory-path.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'

/** The interval of checks for a missing folder. */
const LOOK_MS = 2_000
/** Editors write a file in several steps: it is complete after this time without changes. */
const QUIET_MS = 300
/** A constant writer delays a report at most this long. */
const LONGEST_MS = 3_000

type Needs = { folder: string; clock: Clock; log: Log; onChange: () => Promise<unknown> }

const isFolder = (folder: string) =>
  stat(folder).then(
    (stats) => stats.isDirectory(),
    () => false,
  )

/** Calls `onChange` after changes have stopped, one call at a time, and misses none. */
const createDebounce = ({ clock, log, onChange }: Omit<Needs, 'folder'>) => {
  let cancel: (() => void) | undefined
  let since: number | undefined
  let running: Promise<unknown> = Promise.resolve()
  const fire = () => {
    cancel = undefined
    since = undefined
    running = running
      .then(() => onChange())
      .then(undefined, (err) => log.warn({ err }, 'memory was not synchronised with its files'))
  }
  return {
    schedule: () => {
      cancel?.()
      since ??= clock.monotonic()
      cancel = clock.after(Math.min(QUIET_MS, Math.max(0, since + LONGEST_MS - clock.monotonic())), fire)
    },
    /** Drops a scheduled call, and resolves when a running call has ended. */
    stop: () => {
      cancel?.()
      return running
    },
  }
}

/** Watches a folder and all below it, without following links. A missing folder is checked for every two seconds. */
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
    // The folder may be a link itself; links in it are not followed.
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
      // Its files are read once; later changes are watched.
      changes.schedule()
    })
    watcher.on('error', (err) => {
      log.warn({ err, folder: basename(folder) }, 'memory files cannot be watched')
      lose()
    })
  }

  /** The folder was removed, or cannot be watched: it is checked for again. */
  const lose = () => {
    if (close === undefined) return
    watching = false
    const closing = close()
    close = undefined
    opening = closing.then(look, look)
  }

  return {
    start: begin,
    /** Ends the watch; resolves when no call is running. */
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
