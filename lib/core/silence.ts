type Timer = { monotonic(): number; after(delayMs: number, call: () => void): () => void }

/** A limit to how long nothing may arrive. */
type Silence = {
  /** Time runs from here. */
  listen(): void
  /** No time runs until `listen`. */
  heard(): void
  end(): void
}

/**
 * Calls each time nothing was heard for `mostMs`. What is heard only notes the time, and one timer looks at it when it
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
    listen: () => {
      since = clock.monotonic()
    },
    heard: () => {
      since = undefined
    },
    end: () => cancel(),
  }
}
