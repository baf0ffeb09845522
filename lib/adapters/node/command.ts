import { type ChildProcess, spawn } from 'node:child_process'
import { dirname } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { decodedText } from '../../core/cut-text.ts'
import { Problem } from '../../core/errors.ts'
import type { CommandLimit, CommandResult } from '../../ports/workspace.ts'
import { type CommandLimits, limitMessage, namedLimit, watchCommand } from './command-watch.ts'
import type { ControlGroup, ControlGroups } from './control-groups.ts'

/** A port on loopback in a sandbox, whose network has nothing else, and the socket outside that it leads to. */
export type Bridged = { port: number; socket: string }

/** A program and its arguments, never a shell line. `env` is added to the clean environment. */
export type Command = {
  file: string
  args: readonly string[]
  /** Who chose the program: the service, or an agent, whose programs are refused where no sandbox works. */
  by: 'service' | 'agent'
  cwd: string
  home: string
  /** The folder for temporary files; the system's when absent. */
  tmp?: string
  /** Folders that the program may write to. In a sandbox it sees only these, the system's folders and `reads`. */
  writes: readonly string[]
  /** Further files and folders that the program may read. */
  reads?: readonly string[]
  /** `host`: the network of the service. Absent: no network, or for programs of agents what the operator allows. */
  network?: 'host'
  /** Ports on loopback that lead to sockets of the service, in a sandbox. */
  bridged?: readonly Bridged[]
  env?: Readonly<Record<string, string>>
  /** It has a credential, or files of the service: no program of an agent may run in its workspace meanwhile. */
  alone?: boolean
  timeoutMs: number
  /** The most bytes that are kept of each output stream; the rest is read and dropped. */
  maxBytes: number
  signal: AbortSignal
}

/** What a start needs of a command. */
type Started = Omit<Command, 'timeoutMs' | 'maxBytes'>

/** A program that talks over its standard input and output until it ends. */
export type Program = {
  readonly cwd: string
  stdin: Writable
  stdout: Readable
  /** The end of what it wrote to standard error. */
  lastErrors(): string
  /** Ends it and all processes that it started: SIGTERM, and a second later SIGKILL. */
  stop(): void
  /** Resolves when all its processes have ended; never rejects. */
  readonly ended: Promise<ProgramEnd>
}

/** `exitCode` is null after a signal, 127 where there is no such program. */
type ProgramEnd = Pick<CommandResult, 'exitCode' | 'exceeded'>

/** The words to start in place of a command. */
type Wrapped = {
  file: string
  args: string[]
  cwd: string
  env: Record<string, string>
  /** The user of its processes, where no other command has the same: what runs as this user belongs to it. */
  uid?: number
  /** The words of find(1) for what this user has outside of the folders that the command may write to. */
  elsewhere?: readonly string[]
  /** Called once its first process has ended: ends those that are left. Rejects when one cannot be ended. */
  over?: () => Promise<void>
}

/** The isolation of commands. */
export type Sandbox = {
  /** Whether the network of a command, and its loopback interface, is another one than the service's. */
  hasOwnNetwork: boolean
  /** The users who own the files of workspaces; absent: the service's own user. */
  owners?: Owners
  /** Resolves when a command can be wrapped. */
  ready?(command: Started): Promise<void>
  wrap(command: Started): Wrapped
}

/** The users as whom programs run. A folder of a workspace is an absolute path without symlinks. */
export type Owners = {
  /** Makes the folder of a workspace if it is missing. Resolves to the user of its files, who may enter the folder. */
  take(folder: string): Promise<number>
  /** Ends what runs in a workspace that will be removed. */
  release(folder: string): Promise<void>
}

const TERM_GRACE_MS = 1_000
const PIPE_GRACE_MS = 250
const MOST_LAST_ERRORS = 4_096

type Needs = {
  path: string
  limits: CommandLimits
  /** The sandbox of commands; without one, they have the rights of the service's user. */
  sandbox?: Sandbox
  /** Groups with the limits of memory and processes, for commands in the sandbox; without them both are watched. */
  groups?: ControlGroups | undefined
  refusal?: string | undefined
}

// A negative id is the whole group. ESRCH: all its processes have ended.
const signalGroup = (child: ChildProcess, signal: NodeJS.Signals) => {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ESRCH') throw thrown
  }
}

/** Stores the first `most` bytes of a stream and drops the rest, so that the command never blocks on a full pipe. */
const collect = (stream: NodeJS.ReadableStream | null, most: number) => {
  const chunks: Buffer[] = []
  let bytes = 0
  let dropped = false
  stream?.on('data', (chunk: Buffer) => {
    const part = chunk.subarray(0, most - bytes)
    if (part.length > 0) chunks.push(part)
    bytes += part.length
    dropped ||= part.length < chunk.length
  })
  return {
    text: () => decodedText(Buffer.concat(chunks), dropped),
    dropped: () => dropped,
  }
}

/** Keeps the last `most` bytes of a stream. */
const keepLast = (stream: NodeJS.ReadableStream | null, most: number) => {
  let last = Buffer.alloc(0)
  stream?.on('data', (chunk: Buffer) => {
    last = Buffer.concat([last, chunk]).subarray(-most)
  })
  return () => decodedText(last, false)
}

type Watched = Pick<Command, 'signal' | 'writes'> & { timeoutMs?: number } & Pick<
    Begun,
    'uid' | 'elsewhere' | 'group'
  >

/** A child, the user of its processes alone, and the group that limits them. */
type Begun = {
  child: ChildProcess
  uid?: number | undefined
  elsewhere?: readonly string[] | undefined
  group?: ControlGroup | undefined
  endLeft: () => Promise<void>
}

/** Stops a child that is aborted, takes too long or exceeds a limit, until `over`; `why` tells the last two apart. */
const withDeadline = (
  child: ChildProcess,
  { signal, timeoutMs, writes, uid, elsewhere, group }: Watched,
  limits: CommandLimits,
) => {
  const why: Pick<CommandResult, 'timedOut' | 'exceeded'> = { timedOut: false }
  let isStopped = false
  let kill: NodeJS.Timeout | undefined
  const stop = () => {
    if (isStopped) return
    isStopped = true
    signalGroup(child, 'SIGTERM')
    kill = setTimeout(() => signalGroup(child, 'SIGKILL'), TERM_GRACE_MS)
  }
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          why.timedOut = true
          stop()
        }, timeoutMs)
  const exceed = (limit: CommandLimit, message: string) => {
    why.exceeded = { limit, message }
    isStopped = true
    signalGroup(child, 'SIGKILL')
  }
  const unwatch =
    child.pid === undefined
      ? undefined
      : watchCommand(child.pid, { uid, elsewhere, group, writes, limits, exceed })
  signal.addEventListener('abort', stop, { once: true })
  /** Called at the end of its first process: the system may have stopped it at a limit before the watch has seen that. */
  const look = () => {
    const limit = isStopped ? undefined : group?.exceeded()
    if (limit !== undefined) exceed(limit, limitMessage(limit, limits))
  }
  const over = () => {
    // The system may give the id of a process that has ended to another one.
    isStopped = true
    clearTimeout(timer)
    clearTimeout(kill)
    unwatch?.()
    signal.removeEventListener('abort', stop)
  }
  return { why, isStopped: () => isStopped, stop, look, over }
}

/** Resolves to the exit code after the child has ended, all that it started was killed and its pipes were read. */
const ended = (child: ChildProcess, look: () => void, over: () => Promise<void>): Promise<number | null> => {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  child.once('error', (thrown) => over().then(() => reject(thrown), reject))
  child.once('exit', (code) => {
    // No process of a command outlives it, and none that left the group keeps the pipes open.
    signalGroup(child, 'SIGKILL')
    look()
    const left = over()
    left.catch(reject)
    // After a busy time, timers run before pipes are read: they are read once more before they are closed.
    const pipes = setTimeout(() => {
      setImmediate(() => {
        child.stdout?.destroy()
        child.stderr?.destroy()
      })
    }, PIPE_GRACE_MS)
    child.once('close', () => {
      clearTimeout(pipes)
      void left.then(() => resolve(code), reject)
    })
  })
  return promise
}

const nothing = async () => undefined

const missingProgram = (file: string): CommandResult => {
  const stderr = `${file}: no such program, or it is not executable`
  return { exitCode: 127, stdout: '', stderr, truncated: false, timedOut: false }
}

const isMissing = (thrown: unknown) =>
  ['ENOENT', 'EACCES'].includes((thrown as NodeJS.ErrnoException).code ?? '')

/** In a sandbox `env` starts the program, and reports a missing one. */
const isMissingInside = ({ exitCode, stderr }: CommandResult) =>
  (exitCode === 127 || exitCode === 126) && stderr.startsWith('env: ')

/**
 * Commands as child processes: without a shell and standard input, in their own group, in a sandbox if there is one, and
 * with a clean environment: PATH, HOME, LANG, TERM, TMPDIR and `env`. On abort and time-out the command and all processes
 * it started get SIGTERM, and a second later SIGKILL; for an exceeded limit SIGKILL at once. No process outlives the
 * promise, and in a sandbox none outlives the service. `run` resolves for any exit code. It rejects with the signal's
 * reason once all processes have ended, and with Problem `unavailable` `sandbox_missing` where the service refuses
 * programs of agents.
 */
export const createCommands = ({ path, limits, sandbox, groups, refusal }: Needs) => {
  const createGroup = (over: () => Promise<void>): ControlGroup | undefined => {
    try {
      return groups?.create()
    } catch (thrown) {
      // The command will not be started.
      over().catch(() => undefined)
      throw thrown
    }
  }

  const start = (command: Started, stdin: 'ignore' | 'pipe'): Begun => {
    const { cwd, home, tmp, env } = command
    const clean = { PATH: path, HOME: home, LANG: 'C.UTF-8', TERM: 'dumb', ...(tmp && { TMPDIR: tmp }) }
    const stdio: [typeof stdin, 'pipe', 'pipe'] = [stdin, 'pipe', 'pipe']
    const options = { shell: false, detached: true, stdio }
    if (!sandbox) {
      const child = spawn(command.file, command.args, { ...options, cwd, env: { ...clean, ...env } })
      return { child, endLeft: nothing }
    }
    const { file, args, uid, elsewhere, over = nothing, ...inside } = sandbox.wrap(command)
    const group = createGroup(over)
    const [first = file, ...words] = group?.enter([file, ...args]) ?? [file, ...args]
    // A sandbox may show only the program of Node and not its folder, so PATH must name its folder.
    const PATH = `${dirname(process.execPath)}:${path}`
    const child = spawn(first, words, {
      ...options,
      cwd: inside.cwd,
      env: { ...clean, PATH, ...inside.env, ...env },
    })
    const endLeft = async () => {
      await group?.end()
      await over()
    }
    return { child, uid, elsewhere, group, endLeft }
  }

  /** Programs of agents may say anything, so their messages tell nothing of limits. */
  const withLimit = ({ by }: Command, result: CommandResult): CommandResult => {
    if (by === 'agent' || result.exitCode === 0 || result.exceeded) return result
    const exceeded = namedLimit(result, limits)
    return exceeded ? { ...result, exceeded } : result
  }

  const refuseAgentPrograms = ({ by }: Pick<Command, 'by'>) => {
    if (refusal !== undefined && by === 'agent') throw new Problem('unavailable', 'sandbox_missing', refusal)
  }

  const run = async (command: Command): Promise<CommandResult> => {
    const { signal, maxBytes, file } = command
    signal.throwIfAborted()
    refuseAgentPrograms(command)
    // `env` would read it as a variable.
    if (sandbox && file.includes('=')) return missingProgram(file)
    await sandbox?.ready?.(command)
    const { child, endLeft, ...begun } = start(command, 'ignore')
    const [stdout, stderr] = [collect(child.stdout, maxBytes), collect(child.stderr, maxBytes)]
    const { why, isStopped, look, over } = withDeadline(child, { ...command, ...begun }, limits)
    try {
      const code = await ended(child, look, endLeft)
      signal.throwIfAborted()
      const truncated = stdout.dropped() || stderr.dropped()
      const output = { stdout: stdout.text(), stderr: stderr.text(), truncated }
      const result = { exitCode: isStopped() ? null : code, ...output, ...why }
      return sandbox && isMissingInside(result) ? missingProgram(file) : withLimit(command, result)
    } catch (thrown) {
      if (isMissing(thrown)) return missingProgram(file)
      throw thrown
    } finally {
      over()
    }
  }

  /**
   * Starts a program that runs until it is stopped, its signal aborts or it exceeds a limit. Throws the signal's reason
   * where that is aborted before, and Problem `unavailable` `sandbox_missing` as `run` does.
   */
  const open = (command: Started): Program => {
    command.signal.throwIfAborted()
    refuseAgentPrograms(command)
    const { child, endLeft, ...begun } = start(command, 'pipe')
    const { why, stop, look, over } = withDeadline(child, { ...command, ...begun }, limits)
    const lastErrors = keepLast(child.stderr, MOST_LAST_ERRORS)
    // The end of the program says what a failed write would.
    child.stdin?.on('error', () => undefined)
    const end = ended(child, look, endLeft)
      .then((exitCode) => ({ exitCode, ...why }))
      .catch(() => ({ exitCode: 127 }))
      .finally(over)
    const streams = { stdin: child.stdin as Writable, stdout: child.stdout as Readable }
    return { cwd: command.cwd, ...streams, lastErrors, stop, ended: end }
  }

  return { run, open, hasOwnNetwork: sandbox?.hasOwnNetwork ?? false }
}
export type Commands = ReturnType<typeof createCommands>
