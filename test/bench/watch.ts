import { existsSync, readFileSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Connection, openConnection } from './connection.ts'
import { machineMs } from './starts.ts'
import type { System } from './system.ts'

const STALLED_AFTER_MS = 30_000
const POLL_MS = 5

/** Body of a GET that must answer 200. */
export const read = async (connection: Connection, path: string): Promise<unknown> => {
  const { status, text } = await connection.ask('GET', path)
  if (status !== 200) throw new Error(`GET ${path} answered ${status} ${text.slice(0, 300)}`)
  return JSON.parse(text)
}

/** How many tasks have completed since the system's data began. */
export const completedCount = async (connection: Connection): Promise<number> => {
  const answer = (await read(connection, '/api/queue/status')) as { queues: { tasks: { completed: number } } }
  return answer.queues.tasks.completed
}

/** Resolves with the moment at which `count` tasks were first seen completed; more than that is an error. */
export const untilCompleted = async (connection: Connection, count: number): Promise<number> => {
  const deadline = machineMs() + STALLED_AFTER_MS
  for (;;) {
    const completed = await completedCount(connection)
    if (completed > count) throw new Error(`${completed} tasks completed where ${count} were created`)
    if (completed === count) return machineMs()
    if (machineMs() > deadline) throw new Error(`Stalled: ${completed} of ${count} tasks completed`)
    await sleep(POLL_MS)
  }
}

/** Fetches and clears the moments at which the runs began, by task id. A task that began twice is an error. */
export const takeStarts = async ({ child, startsFile }: System): Promise<Map<string, number>> => {
  child.kill('SIGUSR2')
  for (let tries = 0; !existsSync(startsFile); tries++) {
    if (tries > 500) throw new Error('The system under test did not write when its runs began')
    await sleep(10)
  }
  const starts = new Map<string, number>()
  for (const line of readFileSync(startsFile, 'utf8').split('\n').slice(0, -1)) {
    const [id = '', ms] = line.split(' ')
    if (starts.has(id)) throw new Error(`Task ${id} was started twice`)
    starts.set(id, Number(ms))
  }
  rmSync(startsFile)
  return starts
}

/** Reads a random 200 of the tasks back; each must be completed. */
export const checkSample = async (port: number, ids: readonly string[]): Promise<void> => {
  const connection = await openConnection(port)
  for (let i = 0; i < Math.min(200, ids.length); i++) {
    const id = ids[Math.floor(Math.random() * ids.length)]
    const { task } = (await read(connection, `/api/tasks/${id}`)) as { task: { status: string } }
    if (task.status !== 'completed') throw new Error(`Task ${id} is ${task.status}, not completed`)
  }
  connection.close()
}
