import { watchSilence } from '../../core/silence.ts'
import type { Clock } from '../../ports/clock.ts'

/** The connection of one step, seen from the end that may drop it. */
export type Line = {
  /** Aborts with the caller's reason, with `lost()` when the provider is silent, or when the step is over. */
  readonly signal: AbortSignal
  /** Time runs against the provider from here, until it is heard. */
  listen(): void
  /** The provider sent something; while a slow reader takes it, no time runs. */
  heard(): void
  /** Drops the connection if it still stands, and forgets the caller's signal. */
  close(): void
}

/** Ties a connection to its caller's signal and to a limit of silence, since a hung provider sends no error. */
export const openLine = (clock: Clock, caller: AbortSignal, silenceMs: number, lost: () => Error): Line => {
  const line = new AbortController()
  const drop = () => line.abort(caller.reason)
  const silence = watchSilence(clock, silenceMs, () => line.abort(lost()))
  caller.addEventListener('abort', drop, { once: true })
  if (caller.aborted) drop()
  return {
    signal: line.signal,
    listen: silence.listen,
    heard: silence.heard,
    close: () => {
      silence.end()
      caller.removeEventListener('abort', drop)
      line.abort(new DOMException('The step is over', 'AbortError'))
    },
  }
}
