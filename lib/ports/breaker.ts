export type BreakerState = 'CLOSED' | 'OPEN' | 'HALF_OPEN'

/**
 * A circuit breaker around one thing that may be down. `CLOSED` lets every call through. Faults in a row make it
 * `OPEN`: calls are refused at once. Some time later it is `HALF_OPEN`: one call at a time is let through as a trial,
 * whose success closes it and whose fault opens it again. What is a fault is decided where breakers are made; any
 * other error says nothing about the thing and counts as neither success nor fault.
 */
export interface Breaker {
  readonly name: string
  readonly state: BreakerState
  /** Faults and successes since the process started; refused calls are neither. */
  readonly failures: number
  readonly successes: number
  /**
   * The outcome of `call`, a failure too. Throws Problem `unavailable` `circuit_open` with `retryAfterMs` instead,
   * without calling, when the circuit refuses.
   */
  run<T>(call: () => Promise<T>): Promise<T>
}

/** The breakers of this process. */
export interface Breakers {
  /** The breaker of that name, made on first use. Names are a bounded set, such as adapters and providers. */
  of(name: string): Breaker
  /** Every breaker there is, in the order of first use. */
  all(): readonly Breaker[]
}
