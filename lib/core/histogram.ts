// Buckets grow by a tenth. The answer is a bucket's harmonic middle, so it is off by at most (γ - 1) / (γ + 1) = 4.8 %.
const GROWTH = 1.1
const LEAST_MS = 0.01
const MOST_MS = 86_400_000
const LOG_GROWTH = Math.log(GROWTH)
const BUCKETS = Math.ceil(Math.log(MOST_MS / LEAST_MS) / LOG_GROWTH) + 1
const MIDDLE = (2 * GROWTH) / (GROWTH + 1)

/** Latencies in constant memory (2 kB): log-scale buckets from 10 µs to a day, as in DDSketch. */
export type Histogram = {
  /** Milliseconds. A value below 10 µs, or not a number, counts as 10 µs; a value above a day counts as a day. */
  record(ms: number): void
  /** Counts the bucket, a result of `bucketIndex`, `count` times. */
  add(bucket: number, count: number): void
  readonly count: number
  /** What a share `q` (0 to 1) of the values does not exceed, within 5 %; undefined for an empty histogram. */
  quantile(q: number): number | undefined
}

export const createHistogram = (): Histogram => {
  const buckets = new Float64Array(BUCKETS)
  let total = 0
  const add = (bucket: number, count: number) => {
    buckets[bucket] = (buckets[bucket] ?? 0) + count
    total += count
  }
  return {
    record: (ms) => add(bucketIndex(ms), 1),
    add,
    get count() {
      return total
    },
    quantile: (q) =>
      total === 0 ? undefined : bucketMiddle(bucketAt(buckets, Math.max(1, Math.ceil(q * total)))),
  }
}

/** The bucket whose upper bound, `LEAST_MS · GROWTH^n`, is the first that is not below `ms`: from 0 to 241. */
export const bucketIndex = (ms: number): number =>
  ms > LEAST_MS ? Math.min(BUCKETS - 1, Math.ceil(Math.log(ms / LEAST_MS) / LOG_GROWTH)) : 0

const bucketMiddle = (bucket: number): number =>
  bucket === 0 ? LEAST_MS : LEAST_MS * GROWTH ** (bucket - 1) * MIDDLE

/** The bucket of the value that is `rank`th from below. */
const bucketAt = (buckets: Float64Array, rank: number): number => {
  let seen = 0
  return buckets.findIndex((count) => {
    seen += count
    return seen >= rank
  })
}
