import { within } from '../core/deadline.ts'
import { durationText, iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { ProcessInfo } from '../ports/process-info.ts'
import type { DlqCounts } from '../queue/schema.ts'
import {
  adaptersHealth,
  breakersHealth,
  deadLettersHealth,
  queueHealth,
  type Runs,
  runnersHealth,
  worst,
} from './components.ts'
import type { AdapterHealth, BreakerReading, Components, DetailedHealth, HealthStatus } from './schema.ts'

/** Longer than the time limit of an agent's health check, so that one silent agent does not hide the others. */
const DEADLINE_MS = 6_000

/** The outcome of a check of health, or an error when it does not come in time. */
export const checkWithin = <T>(clock: Pick<Clock, 'after'>, call: () => T | Promise<T>): Promise<T> =>
  within(clock, DEADLINE_MS, call, () => new Error(`no response within ${durationText(DEADLINE_MS)}`))

export type DetailedNeeds = {
  version: string
  clock: Clock
  log: Log
  process: ProcessInfo
  taskCounts: () => Promise<Readonly<Record<string, number>>>
  deadLetters: () => Promise<DlqCounts>
  adapters: () => Promise<readonly AdapterHealth[]>
  breakers: () => readonly BreakerReading[]
  worker: Runs['worker']
  /** The agents that the service could run itself, and the runners. */
  runs: () => Promise<Omit<Runs, 'worker'>>
  /** The isolation of agents' programs from the service; absent where none run. */
  sandbox?: { status: HealthStatus; message: string } | undefined
}

/** The health of every component, and the worst as the whole's; unhealthy if it cannot be read in time. */
export const createDetailed = (needs: DetailedNeeds) => {
  const { version, clock, process } = needs
  const checked = createCheck(needs)

  const components = async (): Promise<Omit<Components, 'sandbox'>> => {
    const { worker } = needs
    const [queue, adapters, circuitBreakers, deadLetterQueue, runners] = await Promise.all([
      checked('queue', needs.taskCounts, queueHealth, {}),
      checked('adapters', needs.adapters, adaptersHealth, { adapters: [] }),
      checked('circuitBreakers', needs.breakers, breakersHealth, { breakers: [] }),
      checked('deadLetterQueue', needs.deadLetters, deadLettersHealth, {}),
      checked('runners', needs.runs, (read) => runnersHealth({ worker, ...read }), { worker, runners: [] }),
    ])
    return { queue, adapters, circuitBreakers, deadLetterQueue, runners }
  }

  return async ({ isAdmin }: { isAdmin: boolean }): Promise<DetailedHealth> => {
    const state = await components()
    const sandbox = isAdmin && needs.sandbox && { ...needs.sandbox, lastChecked: iso(clock.now()) }
    const { uptimeSeconds, memory, loadAverage } = process.read()
    return {
      status: worst(Object.values(state).map(({ status }) => status)),
      version,
      timestamp: iso(clock.now()),
      uptime: uptimeSeconds,
      components: { ...state, ...(sandbox && { sandbox }) },
      system: {
        platform: process.platform,
        nodeVersion: process.nodeVersion,
        memory: { ...memory, percentage: percentage(memory.used, memory.total) },
        cpu: { loadAverage: [...loadAverage] },
      },
    }
  }
}

/** Reads a component and rates its health; `unread` replaces details that could not be read. */
const createCheck =
  ({ clock, log }: Pick<DetailedNeeds, 'clock' | 'log'>) =>
  async <R, C extends object, U extends object>(
    name: string,
    read: () => R | Promise<R>,
    verdict: (reading: R) => C,
    unread: U,
  ) => {
    try {
      return { ...verdict(await checkWithin(clock, read)), lastChecked: iso(clock.now()) }
    } catch (err) {
      log.warn({ err, component: name }, 'health check failed')
      const message = 'The check failed. See the service log'
      return { status: 'unhealthy' as const, message, ...unread, lastChecked: iso(clock.now()) }
    }
  }

const percentage = (part: number, whole: number) =>
  whole > 0 ? Math.round((part / whole) * 10_000) / 100 : 0
