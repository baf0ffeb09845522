import { mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorMessage } from '../../core/errors.ts'
import type { CommandLimit } from '../../ports/workspace.ts'
import type { CommandLimits } from './command-watch.ts'

const BYTES_PER_MIB = 1_048_576
/** The group of the service itself: one with processes of its own gives no controllers to groups below it. */
const OF_SERVICE = 'agent-tasks'
const OF_COMMAND = 'agent-command-'
const PAUSE_MS = 5
const LONGEST_MS = 10_000

/** The processes of one command, whose limits the system keeps. */
export type ControlGroup = {
  /** The words that start a program in the group. */
  enter(words: readonly string[]): string[]
  /** The limit that its processes have reached; undefined for none. */
  exceeded(): CommandLimit | undefined
  /** Ends its processes, of any process group and user, and removes it. */
  end(): Promise<void>
}
export type ControlGroups = { create(): ControlGroup }

const text = (...path: string[]): string => readFileSync(join(...path), 'utf8')
const isThere = (...path: string[]): boolean =>
  statSync(join(...path), { throwIfNoEntry: false }) !== undefined

/** A number of a file with a name and a number in each line; 0 where that is missing. */
const countIn = (name: string, ...path: string[]): number =>
  Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(isThere(...path) ? text(...path) : '')?.[1] ?? 0)

const endGroup = async (folder: string): Promise<void> => {
  const until = performance.now() + LONGEST_MS
  writeFileSync(join(folder, 'cgroup.kill'), '1')
  while (countIn('populated', folder, 'cgroup.events') > 0 && performance.now() < until) await sleep(PAUSE_MS)
  rmdirSync(folder)
}

const ENTER = 'echo $$ > "$0" && exec "$@"'

/** Groups below one that is delegated to the service and has no processes of its own. */
export const createControlGroups = (
  delegated: string,
  { memoryMb, processes }: Pick<CommandLimits, 'memoryMb' | 'processes'>,
): ControlGroups => {
  let count = 0
  const create = (): ControlGroup => {
    count += 1
    const folder = join(delegated, `${OF_COMMAND}${process.pid}-${count}`)
    mkdirSync(folder)
    const limit = (file: string, value: string | number) => writeFileSync(join(folder, file), String(value))
    limit('memory.max', memoryMb * BYTES_PER_MIB)
    if (isThere(folder, 'memory.swap.max')) limit('memory.swap.max', 0)
    // A program that has lost one of its processes may wait for it for ever.
    limit('memory.oom.group', 1)
    limit('pids.max', processes)
    return {
      enter: (words) => ['sh', '-c', ENTER, join(folder, 'cgroup.procs'), ...words],
      exceeded: () => {
        if (countIn('oom_kill', folder, 'memory.events') > 0) return 'memory'
        return countIn('max', folder, 'pids.events') > 0 ? 'processes' : undefined
      },
      end: () => endGroup(folder),
    }
  }
  return { create }
}

/** The group of the service, as the system shows it; undefined without control groups of version 2. */
const ownGroup = (): { folder: string; isRootOfNamespace: boolean } | undefined => {
  const [, path] = /^0::(.*)$/m.exec(text('/proc/self/cgroup')) ?? []
  // proc_pid_mountinfo(5): the root of the mount and its place are the fourth and fifth field.
  const mount = text('/proc/self/mountinfo')
    .split('\n')
    .find((line) => line.includes(' - cgroup2 '))
  const [, , , root, place] = mount?.split(' ') ?? []
  if (path === undefined || root === undefined || place === undefined) return undefined
  const own = basename(path) === OF_SERVICE ? dirname(path) : path
  return { folder: join(place, relative(root, own)), isRootOfNamespace: own === root }
}

/**
 * Why the group of the service is not delegated to it. A group with processes of others must be left as it is: that of a
 * container belongs to it, and systemd gives a group to the user of a unit with `Delegate=yes`.
 */
const notDelegated = (folder: string, isRootOfNamespace: boolean): string | undefined => {
  // The root of the machine's groups has no such file.
  if (!isThere(folder, 'cgroup.events')) return 'the service is in the root group of the machine'
  const isOwn = process.getuid?.() !== 0 && statSync(folder).uid === process.getuid?.()
  if (!isRootOfNamespace && !isOwn) return 'the control group of the service is not delegated to it'
  const has = text(folder, 'cgroup.controllers').trim().split(' ')
  const missing = ['memory', 'pids'].filter((name) => !has.includes(name))
  return missing.length > 0 ? `its control group lacks the controllers ${missing.join(' and ')}` : undefined
}

/** Moves the processes of a group, and lets groups below it have limits. */
const prepare = (folder: string): void => {
  const service = join(folder, OF_SERVICE)
  if (!isThere(service)) mkdirSync(service)
  for (const pid of text(folder, 'cgroup.procs').split('\n').filter(Boolean))
    writeFileSync(join(service, 'cgroup.procs'), pid)
  writeFileSync(join(folder, 'cgroup.subtree_control'), '+memory +pids')
}

/** Whether it is the group of a command whose service was killed. */
const isLeft = (name: string): boolean => {
  if (!name.startsWith(OF_COMMAND)) return false
  const [pid = ''] = name.slice(OF_COMMAND.length).split('-')
  return pid === String(process.pid) || !isThere('/proc', pid)
}

/** Control groups (version 2) for commands, where the system has delegated one to the service; else why not. */
export const findControlGroups = async (
  limits: CommandLimits,
): Promise<{ groups: ControlGroups } | { cause: string }> => {
  try {
    const own = ownGroup()
    if (own === undefined) return { cause: 'the system has no control groups of version 2' }
    const { folder, isRootOfNamespace } = own
    const cause = notDelegated(folder, isRootOfNamespace)
    if (cause !== undefined) return { cause }
    prepare(folder)
    for (const name of readdirSync(folder).filter(isLeft)) await endGroup(join(folder, name))
    const groups = createControlGroups(folder, limits)
    await groups.create().end()
    return { groups }
  } catch (thrown) {
    return { cause: errorMessage(thrown, 300) }
  }
}
