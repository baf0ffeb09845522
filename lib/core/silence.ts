type Timer = { monotonic(): number; after(delayMs: number, call: () => void): () => void }

type Silence = {
  start(): void
  pause(): void
  end(): void
}

/** Calls `onSilence` each time nothing arrived for `mostMs`. One timer checks it: one a piece would cost as much. */
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
