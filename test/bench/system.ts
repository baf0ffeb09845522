import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, openConnection } from './connection.ts'
import { machineMs } from './starts.ts'

/** A started program under test: where it listens, its process, and how it is ended. */
export type System = {
  port: number
  child: ChildProcess
  /** Where `recordStarts` writes in that process. */
  startsFile: string
  readyAfterMs: number
  stop(): Promise<void>
}

/** What a program under test sees of our environment: no key and no setting of the caller's may change the figures. */
export const plainEnv = (): NodeJS.ProcessEnv => ({ PATH: process.env.PATH, HOME: process.env.HOME })

/** The offline stack bundles every function before it is ready. */
const READY_WITHIN_MS = 150_000

/** Resolves with the moment at which GET /api/health/ready first answered 200. A program that ends before that is an error. */
export const ready = async (port: number, child: ChildProcess): Promise<number> => {
  const deadline = machineMs() + READY_WITHIN_MS
  while (machineMs() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`${child.spawnargs[1]} ended before it was ready`)
    if (await answersReady(port)) return machineMs()
    await sleep(5)
  }
  throw new Error(`${child.spawnargs[1]} was not ready within ${READY_WITHIN_MS / 1000} s`)
}

const answersReady = async (port: number): Promise<boolean> => {
  let connection: Connection | undefined
  try {
    connection = await openConnection(port)
    return (await connection.ask('GET', '/api/health/ready')).status === 200
  } catch {
    return false
  } finally {
    connection?.close()
  }
}
