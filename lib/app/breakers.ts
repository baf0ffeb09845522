import { isProviderFault } from '../adapters/models/failures.ts'
import { createBreakers } from '../adapters/node/breakers.ts'
import { Problem } from '../core/errors.ts'
import type { Breakers } from '../ports/breaker.ts'
import type { Clock } from '../ports/clock.ts'

/** Circuit breakers, which count faults of providers, and of adapters whose health check fails. */
export const openBreakers = (clock: Clock): Breakers => createBreakers({ clock, isFault })

const isFault = (thrown: unknown): boolean =>
  isProviderFault(thrown) || (thrown instanceof Problem && HEALTH_FAULTS.has(thrown.code))

const HEALTH_FAULTS: ReadonlySet<string> = new Set(['health_check_failed', 'health_check_timeout'])
