import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { compiled } from '../fakes/compiled.ts'

export const root = path.resolve(import.meta.dirname, '../..')
/** The Node that `npm start` runs. */
export const serviceNode = path.join(root, 'node_modules/node/bin/node')
/** What a sandbox shows to the programs of `test/fixtures`; the folder of the service as a whole is refused. */
export const fixtureReads = ['test', 'node_modules', 'package.json'].map((name) => path.join(root, name))

export type Environment = Readonly<Record<string, string>>
export type Exit = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }
export type Program = {
  env: Environment
  node?: string
  nodeArgs?: readonly string[]
  /** The program that Node runs, and its words. */
  args?: readonly string[]
  /** What is run instead of Node. */
  command?: readonly [program: string, ...args: string[]]
  mostMs?: number
  /** Ends when this process is gone, however that ended. */
  endsWithParent?: boolean
}

/** The address in the first line that a service says of itself. */
const LISTENS_AT = / on (http:\/\/[^\s,]+)/
/** `JOURNEYS=offline` takes the journeys through the serverless stack on emulators instead of the one process. */
export const isOffline = process.env.JOURNEYS === 'offline'
const entry = isOffline ? 'offline/main.ts' : 'bin/start.js'
/** serverless-offline bundles at its first start: two at once have taken 45 s, on a slow machine twice that. */
const READY_WITHIN_MS = isOffline ? 270_000 : 120_000
/** Longer than a test may take. */
const SERVES_MS = 600_000
const ENDS_WITH_PARENT = "data:text/javascript,process.once('disconnect', () => process.exit())"

/**
 * Starts the program behind `npm start` on a port that the system chooses, and waits for nothing. It sees `env` and
 * PATH, and no other setting of the machine. Disposing of it kills it, and so do `mostMs`: a test that fails by its
 * time-out never comes to disposing.
 */
export const launchService = ({
  env,
  node = serviceNode,
  endsWithParent = false,
  nodeArgs = [],
  args: words = [entry],
  command = [node, ...nodeArgs, ...(endsWithParent ? ['--import', ENDS_WITH_PARENT] : []), ...words],
  mostMs = SERVES_MS,
}: Program) => {
  const [program, ...args] = command
  const child = spawn(program, args, {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      TMPDIR: process.env.TMPDIR,
      PORT: '0',
      LOG_LEVEL: 'warn',
      ...compiled,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe', ...(endsWithParent ? (['ipc'] as const) : [])],
  })
  // The time-out of `spawn` would keep this process alive.
  const tooLong = setTimeout(() => child.kill('SIGKILL'), mostMs).unref()
  child.once('exit', () => clearTimeout(tooLong))
  const said = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (text) => (said.stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text) => (said.stderr += text))
  const exited = new Promise<Exit>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal, ...said }))
  })
  const output = () => said.stdout + said.stderr
  const isOver = () => child.exitCode !== null || child.signalCode !== null
  const kill = (signal: NodeJS.Signals) => child.kill(signal)
  const endBy = (signal: NodeJS.Signals) => {
    kill(signal)
    return exited
  }

  /** The address, once GET /api/health/ready answers 200 there. Throws when the program ends before. */
  const ready = async (): Promise<string> => {
    for (const deadline = performance.now() + READY_WITHIN_MS; performance.now() < deadline; await sleep(5)) {
      if (isOver()) throw new Error(`The service ended before it was ready:\n${output()}`)
      const url = LISTENS_AT.exec(said.stdout)?.[1]
      if (url && (await isReady(url))) return url
    }
    throw new Error(`The service was not ready within ${READY_WITHIN_MS} ms:\n${output()}`)
  }

  return {
    pid: child.pid ?? 0,
    ready,
    exited,
    output,
    kill,
    /** Does not keep this process alive. */
    unref: () => {
      for (const part of [child, child.channel, child.stdout, child.stderr])
        (part as ChildProcess | null)?.unref()
    },
    /** Dies at once, as a power cut would have it, and is gone when this resolves. */
    kill9: () => endBy('SIGKILL'),
    /** Is asked to end, and has ended when this resolves. */
    stop: () => endBy('SIGTERM'),
    async [Symbol.asyncDispose]() {
      await endBy('SIGKILL')
    },
  }
}

/** As `launchService`, and ready for requests. */
export const startService = async (program: Program) => {
  const service = launchService(program)
  try {
    return { ...service, baseUrl: await service.ready() }
  } catch (thrown) {
    await service.kill9()
    throw thrown
  }
}

/** Arguments of Node by which a service sees a later time of day than the machine has. */
export const clockAhead = (ms: number): string[] => [
  '--import',
  `data:text/javascript,const { now } = Date; Date.now = () => now() + ${ms}`,
]

export type Service = Awaited<ReturnType<typeof startService>>

const isReady = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(`${url}/api/health/ready`)).status === 200
  } catch {
    return false
  }
}

/** A new folder that is gone when it is disposed of. */
export const temporaryFolder = () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'service-'))
  return {
    path: folder,
    in: (...parts: string[]) => path.join(folder, ...parts),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}
