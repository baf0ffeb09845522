import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { readdir, readlink, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { CommandLimit, CommandResult } from '../../ports/workspace.ts'
import { processUids } from './user-processes.ts'

export type CommandLimits = { memoryMb: number; processes: number; diskMb: number }

const LOOK_MS = 250
/** Commands that are watched at the same time share what was read of all processes in this time. */
const SHARED_MS = 100
/** The interval of measuring folders, longer for large ones: measuring takes at most a tenth of the time. */
const MEASURE_MS = 2_000
const MEASURE_SHARE = 10
const KIB_PER_MIB = 1_024

type Process = { pid: number; parent: number; group: number; threads: number }
type Exceed = (limit: CommandLimit, message: string) => void

/** The messages of exceeded limits, with the name of the setting. */
const messages: Readonly<Record<CommandLimit, (limits: CommandLimits) => string>> = {
  memory: ({ memoryMb }) => `it used more than ${memoryMb} MiB of memory (AGENT_MEMORY_MB)`,
  processes: ({ processes }) =>
    `it ran more than ${processes} processes and threads at once (AGENT_PROCESSES)`,
  disk: ({ diskMb }) => `it used more than ${diskMb} MiB of disk (AGENT_DISK_MB)`,
}

export const limitMessage = (limit: CommandLimit, limits: CommandLimits): string => messages[limit](limits)

/** Messages of programs that the system stopped at a limit of a process, before the watch saw it. */
const SIGNS: readonly (readonly [CommandLimit, RegExp])[] = [
  ['disk', /file too large/i],
  ['memory', /out of memory|cannot allocate memory/i],
]
/** The exit code of a program that SIGXFSZ ended. */
const FILE_TOO_LARGE = 128 + 25

/** The limit that a failed program of the service names in its messages. */
export const namedLimit = (
  { exitCode, stderr }: Pick<CommandResult, 'exitCode' | 'stderr'>,
  limits: CommandLimits,
): CommandResult['exceeded'] => {
  const [limit] =
    exitCode === FILE_TOO_LARGE ? ['disk' as const] : (SIGNS.find(([, sign]) => sign.test(stderr)) ?? [])
  return limit && { limit, message: messages[limit](limits) }
}

/**
 * Watches the resources of a command and its processes, until the returned function is called. `exceed` is called once,
 * for the first exceeded limit. Without `/proc` only disk space is watched.
 */
export const watchCommand = (
  pid: number,
  {
    uid,
    elsewhere,
    group,
    writes,
    limits,
    exceed,
  }: {
    /** The user of the command's processes alone, which are told by it also where their parents have ended. */
    uid?: number | undefined
    /** The words of find(1) for what this user has outside of `writes`. */
    elsewhere?: readonly string[] | undefined
    /** The group whose limits the system keeps. */
    group?: { exceeded(): CommandLimit | undefined } | undefined
    writes: readonly string[]
    limits: CommandLimits
    exceed: Exceed
  },
): (() => void) => {
  let over = false
  const ending = new AbortController()
  const timers = new Set<NodeJS.Timeout>()
  const pass = (limit: CommandLimit) => {
    if (over) return
    stop()
    exceed(limit, messages[limit](limits))
  }
  const stop = () => {
    over = true
    ending.abort()
    for (const timer of timers) clearTimeout(timer)
  }
  /** Waits and calls `look`, which returns the next wait, until the watch ends. */
  const repeat = (waitMs: number, look: () => number | Promise<number>) => {
    const timer = setTimeout(async () => {
      timers.delete(timer)
      const next = await look()
      if (!over) repeat(next, look)
    }, waitMs)
    timers.add(timer)
  }

  // Files without a name: those in memory are in no process's share, deleted ones in no folder.
  let unnamed = { memory: 0, disk: 0 }
  repeat(LOOK_MS, () => {
    if (group) {
      const limit = group.exceeded()
      if (limit) pass(limit)
      return LOOK_MS
    }
    const tree = processTree(pid, recentProcesses(), uid)
    if (sum(tree.map(({ threads }) => threads)) > limits.processes) pass('processes')
    const memory = tree.map((process) => memoryKib(process.pid))
    if (sum(memory) + unnamed.memory > limits.memoryMb * KIB_PER_MIB) pass('memory')
    return LOOK_MS
  })
  // Most commands, mainly those of git, end before the first look, which reads all of `/proc`.
  repeat(LOOK_MS, async () => {
    const from = performance.now()
    const named = writes.length > 0 ? await diskKib(writes, ending.signal) : 0
    const others = elsewhere ? await foundKib(elsewhere, ending.signal) : 0
    unnamed = await unnamedKib(processTree(pid, recentProcesses(), uid))
    if (named + others + unnamed.disk > limits.diskMb * KIB_PER_MIB) pass('disk')
    return Math.max(MEASURE_MS, (performance.now() - from) * MEASURE_SHARE)
  })
  return stop
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

/** A process may end, or `/proc` be missing, at any time: a failed read counts as nothing. */
const orNone = <Value, None>(reading: Promise<Value>, none: None): Promise<Value | None> =>
  reading.catch(() => none)

// A file of `/proc` is read in microseconds, a tenth of what the way over a thread takes.
const procText = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
const processNames = (): string[] => {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

const allProcesses = (): Process[] =>
  processNames().flatMap((name) => {
    const stat = procText(`/proc/${name}/stat`)
    // proc_pid_stat(5): the name in brackets may contain anything; state, parent and group follow it.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [, parent = 0, group] = fields
    return group === undefined ? [] : [{ pid: Number(name), parent, group, threads: fields[17] ?? 1 }]
  })

let last: { at: number; processes: readonly Process[] } | undefined
const recentProcesses = (): readonly Process[] => {
  const now = performance.now()
  if (last === undefined || now - last.at > SHARED_MS) last = { at: now, processes: allProcesses() }
  return last.processes
}

/** The process, its descendants, processes of its group whose parent has ended, and those of its user. */
const processTree = (root: number, processes: readonly Process[], uid?: number): Process[] => {
  const children = Map.groupBy(processes, ({ parent }) => parent)
  const tree = new Set<Process>()
  const add = (process: Process) => {
    if (tree.has(process)) return
    tree.add(process)
    for (const child of children.get(process.pid) ?? []) add(child)
  }
  for (const process of processes) if (process.pid === root || process.group === root) add(process)
  if (uid !== undefined)
    for (const process of processes) if (processUids(process.pid).includes(uid)) add(process)
  return [...tree]
}

/** Without pages of files, which the system frees when it needs memory. */
const memoryKib = (pid: number): number => {
  const status = procText(`/proc/${pid}/status`)
  return sum([...status.matchAll(/^Rss(?:Anon|Shmem):\s*(\d+) kB$/gm)].map(([, kib]) => Number(kib)))
}

/** The size of nameless files that the processes have open, in memory and on disk. */
const unnamedKib = async (tree: readonly Process[]): Promise<{ memory: number; disk: number }> => {
  const files = new Map<string, { isMemory: boolean; kib: number }>()
  for (const { pid } of tree) {
    const folder = `/proc/${pid}/fd`
    for (const name of await orNone(readdir(folder), [])) {
      const path = `${folder}/${name}`
      const file = await orNone(stat(path), undefined)
      if (!file?.isFile() || file.nlink > 0) continue
      const isMemory = (await orNone(readlink(path), '')).startsWith('/memfd:')
      // st_blocks is in units of 512 bytes.
      files.set(`${file.dev}:${file.ino}`, { isMemory, kib: file.blocks / 2 })
    }
  }
  const totalKib = (wanted: boolean) =>
    sum([...files.values()].map(({ isMemory, kib }) => (isMemory === wanted ? kib : 0)))
  return { memory: totalKib(true), disk: totalKib(false) }
}

const MOST_MEASURE_MS = 60_000
const MOST_LISTED = 16 * 1_024 * 1_024

/** The sum of the numbers that lines begin with; Infinity for folders that are too large to measure in time. */
const measuredKib = async (file: string, args: readonly string[], signal: AbortSignal): Promise<number> => {
  const options = { timeout: MOST_MEASURE_MS, maxBuffer: MOST_LISTED, signal }
  const { stdout, isCut } = await promisify(execFile)(file, args, options).then(
    (ended) => ({ stdout: ended.stdout, isCut: false }),
    ({ stdout = '', killed = false, code }: { stdout?: string; killed?: boolean; code?: unknown }) => ({
      stdout,
      isCut: killed || code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER',
    }),
  )
  if (isCut) return signal.aborted ? 0 : Number.POSITIVE_INFINITY
  return sum([...stdout.matchAll(/^(\d+)\b/gm)].map(([, kib]) => Number(kib)))
}

// Messages of both programs about folders that they may not read are dropped: too many of them would end them.

/** `du` fails for vanishing files, and counts the others. */
const diskKib = (folders: readonly string[], signal: AbortSignal): Promise<number> =>
  measuredKib('sh', ['-c', 'exec du -sxk -- "$@" 2>/dev/null', 'du', ...folders], signal)

const foundKib = (words: readonly string[], signal: AbortSignal): Promise<number> =>
  measuredKib('sh', ['-c', 'exec find "$@" 2>/dev/null', 'find', ...words, '-printf', '%k\n'], signal)
