import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { cacheDir } from './paths.ts'

const running = new Set<ChildProcess>()
const folders = new Set<string>()

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130))

/** Starts a program that dies with the benchmark at the latest; what it says on stderr is shown. */
export const start = (program: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess => {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options })
  running.add(child)
  child.once('exit', () => running.delete(child))
  child.once('error', () => running.delete(child))
  return child
}

/** The first line of a child whose standard output is a pipe. */
export const firstLine = async (child: ChildProcess): Promise<string> => {
  if (child.stdout === null) throw new Error('The program has no output')
  for await (const line of createInterface({ input: child.stdout })) return line
  throw new Error(`${child.spawnargs.at(-1)} ended without an answer`)
}

/** Starts a file of the benchmark by Node, with a pipe as its standard output. */
export const startPiped = (file: string, ...args: readonly string[]): ChildProcess =>
  start(process.execPath, [file, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })

/** As `startPiped`, for a server that says its port in its first line. */
export const startBeside = async (file: string, ...args: readonly string[]) => {
  const child = startPiped(file, ...args)
  return { port: await firstLine(child), pid: child.pid ?? 0, stop: () => end(child) }
}

/** Asks a child to end and resolves when it has; after ten seconds it is not asked again. */
export const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((done) => child.once('exit', done))
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
  child.kill('SIGTERM')
  await ended
  clearTimeout(timer)
}

/** A folder that is removed when the benchmark ends, on the disk of the repository: a RAM disk would make fsync free. */
export const scratch = (name: string): string => {
  mkdirSync(cacheDir, { recursive: true })
  const folder = mkdtempSync(join(cacheDir, `${name}-`))
  folders.add(folder)
  return folder
}

/** Removes a folder of `scratch` before the end. */
export const discard = (folder: string): void => {
  rmSync(folder, { recursive: true, force: true })
  folders.delete(folder)
}
