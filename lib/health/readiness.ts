import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import { DEADLINE_MS, within } from './deadline.ts'
import type { Readiness } from './schema.ts'

/** What must hold before the service may be sent work, by name; false or a rejection means not yet. */
export type Checks = Readonly<Record<string, () => boolean | Promise<boolean>>>

type Needs = { clock: Clock; log: Log; checks: Checks }

/** Ready when every check holds. The answer names no reason, since the route is public; the log does. */
export const createReadiness = ({ clock, log, checks }: Needs) => {
  const stateOf = async (name: string): Promise<Readiness['status']> => {
    try {
      return (await within(DEADLINE_MS, clock, checks[name] ?? (() => false))) ? 'ready' : 'not_ready'
    } catch (err) {
      log.warn({ err, check: name }, 'readiness check failed')
      return 'not_ready'
    }
  }
  return async (): Promise<Readiness> => {
    const states = await Promise.all(
      Object.keys(checks).map(async (name) => ({ name, status: await stateOf(name) })),
    )
    const ready = states.every(({ status }) => status === 'ready')
    return { status: ready ? 'ready' : 'not_ready', checks: states }
  }
}
