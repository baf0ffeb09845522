export type BreakerState = 'CLOSED' | 'OPEN' | 'HALF_OPEN'

/**
 * A circuit breaker around one dependency. `CLOSED` lets every call through. Faults in a row make it `OPEN`: it refuses
 * calls at once. Some time later it is `HALF_OPEN`: it lets one call at a time through as a trial; success closes it, a
 * fault opens it again. The code that makes breakers decides which errors are faults; any other error counts as neither
 * success nor fault.
 */
export interface Breaker {
  readonly name: string
  readonly state: BreakerState
  /** Faults and successes since the process started; refused calls are neither. */
  readonly failures: number
  readonly successes: number
  /**
   * Calls `call` and returns its outcome, a failure too. Throws Problem `unavailable` `circuit_open` with `retryAfterMs`,
   * without a call, while the circuit refuses calls.
   */
  run<T>(call: () => Promise<T>): Promise<T>
}

/** The breakers of this process. */
export interface Breakers {
  /** The breaker of that name, made on first use. Names are a bounded set, such as adapters and providers. */
  of(name: string): Breaker
  /** Every breaker, in the order of first use. */
  all(): readonly Breaker[]
}
