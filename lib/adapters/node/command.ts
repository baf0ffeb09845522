import { type ChildProcess, spawn } from 'node:child_process'
import { dirname } from 'node:path'
import { Problem } from '../../core/errors.ts'
import type { Command, CommandLimit, CommandResult, Commands } from '../../ports/command.ts'
import { type CommandLimits, watchCommand } from './command-watch.ts'
import type { Sandbox } from './sandbox.ts'

const TERM_GRACE_MS = 1_000
const PIPE_GRACE_MS = 250

type Needs = {
  /** The PATH that commands see. */
  path: string
  limits: CommandLimits
  /** What commands run in; absent: nothing keeps them from what the service's user may do. */
  sandbox?: Sandbox
  /** Why programs of agents are not run. */
  refusal?: string | undefined
}

// A negative id means the whole group. ESRCH: all of it has ended.
const signalGroup = (child: ChildProcess, signal: NodeJS.Signals) => {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'ESRCH') throw thrown
  }
}

/** Keeps the first `most` bytes of a stream and drains the rest, so that the command never blocks on a full pipe. */
const collect = (stream: NodeJS.ReadableStream | null, most: number) => {
  const chunks: Buffer[] = []
  let kept = 0
  let dropped = false
  stream?.on('data', (chunk: Buffer) => {
    const part = chunk.subarray(0, most - kept)
    if (part.length > 0) chunks.push(part)
    kept += part.length
    dropped ||= part.length < chunk.length
  })
  return {
    // A character that the cut went through is left out.
    text: () => new TextDecoder().decode(Buffer.concat(chunks), { stream: dropped }),
    dropped: () => dropped,
  }
}

/** Ends the group: by SIGTERM now and SIGKILL a second later, or by SIGKILL at once. */
const stopper = (child: ChildProcess) => {
  let timer: NodeJS.Timeout | undefined
  return {
    stop: () => {
      if (timer) return
      signalGroup(child, 'SIGTERM')
      timer = setTimeout(() => signalGroup(child, 'SIGKILL'), TERM_GRACE_MS)
    },
    isStopped: () => timer !== undefined,
    kill: () => {
      timer ??= setTimeout(() => undefined)
      signalGroup(child, 'SIGKILL')
    },
    forget: () => clearTimeout(timer),
  }
}

/** Stops a child that is aborted, takes too long or exceeds a limit, until `over`; `why` says which of the last two. */
const withDeadline = (child: ChildProcess, { signal, timeoutMs, writes }: Command, limits: CommandLimits) => {
  const why: Pick<CommandResult, 'timedOut' | 'exceeded'> = { timedOut: false }
  const { stop, kill, isStopped, forget } = stopper(child)
  const timer = setTimeout(() => {
    why.timedOut = true
    stop()
  }, timeoutMs)
  const exceed = (limit: CommandLimit, message: string) => {
    why.exceeded = { limit, message }
    kill()
  }
  const unwatch = child.pid === undefined ? undefined : watchCommand(child.pid, { writes, limits, exceed })
  signal.addEventListener('abort', stop, { once: true })
  const over = () => {
    clearTimeout(timer)
    unwatch?.()
    forget()
    signal.removeEventListener('abort', stop)
  }
  return { why, isStopped, over }
}

/** Resolves with the exit code once the child has ended, its group is killed and its pipes are read out. */
const ended = (child: ChildProcess): Promise<number | null> => {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  child.once('error', reject)
  child.once('exit', (code) => {
    // Nothing that a command started outlives it, and nothing that fled the group holds the pipes open.
    signalGroup(child, 'SIGKILL')
    // A process that was busy runs its timers before it looks at pipes: they are read once more before they are closed.
    const pipes = setTimeout(() => {
      setImmediate(() => {
        child.stdout?.destroy()
        child.stderr?.destroy()
      })
    }, PIPE_GRACE_MS)
    child.once('close', () => {
      clearTimeout(pipes)
      resolve(code)
    })
  })
  return promise
}

const missingProgram = (file: string): CommandResult => {
  const stderr = `${file}: no such program, or it may not be run`
  return { exitCode: 127, stdout: '', stderr, truncated: false, timedOut: false }
}

const isMissing = (thrown: unknown) =>
  ['ENOENT', 'EACCES'].includes((thrown as NodeJS.ErrnoException).code ?? '')

/** In a sandbox `env` starts the program, and says when there is none. */
const isMissingInside = ({ exitCode, stderr }: CommandResult) =>
  (exitCode === 127 || exitCode === 126) && stderr.startsWith('env: ')

/** Commands as child processes: no shell, no standard input, a group of their own, in a sandbox where there is one. */
export const createCommands = ({ path, limits, sandbox, refusal }: Needs): Commands => {
  const start = (command: Command) => {
    const { cwd, home, tmp, env } = command
    const clean = { PATH: path, HOME: home, LANG: 'C.UTF-8', TERM: 'dumb', ...(tmp && { TMPDIR: tmp }) }
    const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe']
    const options = { shell: false, detached: true, stdio }
    if (!sandbox) return spawn(command.file, command.args, { ...options, cwd, env: { ...clean, ...env } })
    const inside = sandbox.wrap(command)
    // The service's Node may be in a folder that PATH names in vain: only the program itself is in the sandbox.
    const PATH = `${dirname(process.execPath)}:${path}`
    return spawn(inside.file, inside.args, {
      ...options,
      cwd: '/',
      env: { ...clean, PATH, ...inside.env, ...env },
    })
  }

  const refuseAgentPrograms = ({ by }: Command) => {
    if (refusal !== undefined && by === 'agent') throw new Problem('unavailable', 'sandbox_missing', refusal)
  }

  const run = async (command: Command): Promise<CommandResult> => {
    const { signal, maxBytes, file } = command
    signal.throwIfAborted()
    refuseAgentPrograms(command)
    // `env` would take it for a variable.
    if (sandbox && file.includes('=')) return missingProgram(file)
    const child = start(command)
    const [stdout, stderr] = [collect(child.stdout, maxBytes), collect(child.stderr, maxBytes)]
    const { why, isStopped, over } = withDeadline(child, command, limits)
    try {
      const code = await ended(child)
      signal.throwIfAborted()
      const truncated = stdout.dropped() || stderr.dropped()
      const output = { stdout: stdout.text(), stderr: stderr.text(), truncated }
      const result = { exitCode: isStopped() ? null : code, ...output, ...why }
      return sandbox && isMissingInside(result) ? missingProgram(file) : result
    } catch (thrown) {
      if (isMissing(thrown)) return missingProgram(file)
      throw thrown
    } finally {
      over()
    }
  }

  return { run }
}
