import { setTimeout as sleep } from 'node:timers/promises'
import { median } from '../quantile.ts'
import type { Told } from './function-process.ts'
import type { Invoked } from './invoked.ts'
import { largest, type Units } from './meter.ts'
import type { Operation } from './operations.ts'
import type { World } from './world.ts'

type Time = Omit<Told, 'answer'> & { logBytes: number }
/** What an operation takes: medians of time and of what is logged, the largest of units. */
export type Measured = { name: string; by: string } & Time & Units

const WARM_UPS = 3
const METERED = 3
/** What goes through the pipe of a process is here by then. */
const PIPE_MS = 50

const succeeded = (name: string, { answer }: Told) => {
  const {
    statusCode = 200,
    body,
    batchItemFailures = [],
  } = (answer ?? {}) as {
    statusCode?: number
    body?: string
    batchItemFailures?: unknown[]
  }
  if (statusCode >= 400 || batchItemFailures.length > 0) throw new Error(`${name}: ${statusCode} ${body}`)
}

const repeat = async (times: number, { name, event }: Operation, called: Invoked): Promise<Told[]> => {
  const all: Told[] = []
  for (let time = 0; time < times; time += 1) {
    const told = await called.invoke(await event())
    succeeded(name, told)
    all.push(told)
  }
  return all
}

const measureTime = async (operation: Operation, called: Invoked, rounds: number): Promise<Time> => {
  await repeat(WARM_UPS, operation, called)
  await sleep(PIPE_MS)
  called.logBytes()
  const all = await repeat(rounds, operation, called)
  await sleep(PIPE_MS)
  const middle = (field: 'ms' | 'cpuMs' | 'calls' | 'trips') => median(all.map((told) => told[field]))
  return {
    ms: middle('ms'),
    cpuMs: middle('cpuMs'),
    calls: middle('calls'),
    trips: middle('trips'),
    logBytes: called.logBytes() / rounds,
  }
}

/** The largest of some metered invocations, after one that warms it. */
export const measureUnits = async (
  operation: Operation,
  called: Invoked,
  taken: () => Units,
): Promise<Units> => {
  await repeat(1, operation, called)
  const all: Units[] = []
  for (let time = 0; time < METERED; time += 1) {
    const event = await operation.event()
    taken()
    succeeded(operation.name, await called.invoke(event))
    all.push(taken())
  }
  return largest(all)
}

/** Measures operations one after the other, each with a function that is warm. */
export const measure = async (
  world: World,
  operations: readonly Operation[],
  rounds: number,
): Promise<Measured[]> => {
  const all: Measured[] = []
  for (const operation of operations) {
    const { name, by } = operation
    const units = await measureUnits(operation, await world.metered.function(by), world.taken)
    const time = await measureTime(operation, await world.direct.function(by), rounds)
    all.push({ name, by, ...time, ...units })
  }
  return all
}
