/** What the scripted agent does in its turn, in this order. */
export type Order = {
  /** Wait until there is a file of that name. */
  file?: string
  /** Send so many updates with the moment at which each is sent, so long after each other. */
  updates?: number
  everyMs?: number
  /** Call its model, and tell what it measured. */
  calls?: CallOrder
}

/**
 * So many calls of a model. What is measured of each: of `short` the milliseconds to the first byte, of `stream` those from
 * the write of each event to its arrival, of `json` and `events`, which are large, the MB/s.
 */
export type CallOrder = { kind: 'short' | 'stream' | 'json' | 'events'; times: number; megabytes?: number }

/** What a side of the calls measured. */
export type Measured = { p50: number; p99: number }

/** The two sides take turns, call by call. */
export const SIDES = ['direct', 'broker'] as const
export type Side = (typeof SIDES)[number]
