type Timer = { monotonic(): number; after(delayMs: number, call: () => void): () => void }

/** A limit to how long nothing may arrive. */
type Silence = {
  /** Time runs from here. */
  start(): void
  /** No time runs until `start`. */
  pause(): void
  end(): void
}

/**
 * Calls each time nothing arrived for `mostMs`. A piece only notes the time, and one timer looks at it when it
 * rings: a timer for each piece of a stream would cost as much as the piece.
 */
export const watchSilence = (clock: Timer, mostMs: number, onSilence: () => void): Silence => {
  let since: number | undefined = clock.monotonic()
  let cancel = clock.after(mostMs, ring)
  function ring() {
    const leftMs = since === undefined ? mostMs : since + mostMs - clock.monotonic()
    cancel = clock.after(leftMs > 0 ? leftMs : mostMs, ring)
    if (leftMs > 0) return
    since = clock.monotonic()
    onSilence()
  }
  return {
    start: () => {
      since = clock.monotonic()
    },
    pause: () => {
      since = undefined
    },
    end: () => cancel(),
  }
}
