import { type ChildProcess, spawn } from 'node:child_process'
import type { Command, CommandResult, Commands } from '../../ports/command.ts'

const TERM_GRACE_MS = 1_000
const PIPE_GRACE_MS = 250

type Needs = {
  /** The PATH that commands see. */
  path: string
  /** Words put in front of every command, such as `findIsolation` answers. */
  isolation?: readonly string[]
}

// A negative id means the whole group. No such group is what we are after, so that error is none.
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

/** SIGTERM to the group now, SIGKILL a second later. */
const stopper = (child: ChildProcess) => {
  let timer: NodeJS.Timeout | undefined
  return {
    stop: () => {
      if (timer) return
      signalGroup(child, 'SIGTERM')
      timer = setTimeout(() => signalGroup(child, 'SIGKILL'), TERM_GRACE_MS)
    },
    forget: () => clearTimeout(timer),
  }
}

/** Resolves with the exit code once the child has ended, its group is killed and its pipes are read out. */
const ended = (child: ChildProcess): Promise<number | null> => {
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  child.once('error', reject)
  child.once('exit', (code) => {
    // Nothing that a command started outlives it, and nothing that fled the group holds the pipes open.
    signalGroup(child, 'SIGKILL')
    const pipes = setTimeout(() => {
      child.stdout?.destroy()
      child.stderr?.destroy()
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

/** Commands as child processes: no shell, no standard input, a group of their own. */
export const createCommands = ({ path, isolation = [] }: Needs): Commands => {
  const start = ({ file, args, cwd, home, env }: Command) => {
    const [program = file, ...words] = [...isolation, file, ...args]
    const clean = { PATH: path, HOME: home, LANG: 'C.UTF-8', TERM: 'dumb' }
    const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe']
    return spawn(program, words, { cwd, env: { ...clean, ...env }, shell: false, detached: true, stdio })
  }

  const run = async (command: Command): Promise<CommandResult> => {
    const { signal, timeoutMs, maxBytes } = command
    signal.throwIfAborted()
    const child = start(command)
    const [stdout, stderr] = [collect(child.stdout, maxBytes), collect(child.stderr, maxBytes)]
    const { stop, forget } = stopper(child)
    let timedOut = false
    const timer = setTimeout(() => {
      timedOut = true
      stop()
    }, timeoutMs)
    signal.addEventListener('abort', stop, { once: true })
    try {
      const exitCode = await ended(child)
      signal.throwIfAborted()
      const truncated = stdout.dropped() || stderr.dropped()
      return { exitCode, stdout: stdout.text(), stderr: stderr.text(), truncated, timedOut }
    } catch (thrown) {
      if (isMissing(thrown)) return missingProgram(command.file)
      throw thrown
    } finally {
      clearTimeout(timer)
      forget()
      signal.removeEventListener('abort', stop)
    }
  }

  return { run }
}
