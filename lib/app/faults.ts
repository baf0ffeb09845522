import { isProviderFault } from '../adapters/models/failures.ts'
import { Problem } from '../core/errors.ts'

/** What a circuit breaker counts: faults of a provider, and adapters that fail to answer for their health. */
export const isFault = (thrown: unknown): boolean =>
  isProviderFault(thrown) || (thrown instanceof Problem && HEALTH_FAULTS.has(thrown.code))

const HEALTH_FAULTS: ReadonlySet<string> = new Set(['health_check_failed', 'health_check_timeout'])
