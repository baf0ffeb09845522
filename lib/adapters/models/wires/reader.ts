import type { StepLimits } from '../step-limits.ts'
import type { Fields } from '../wire-fields.ts'

/** Reads the events of one answer. */
type EventReader = {
  /** The event with its known fields only; nothing for an unknown event. `name` is that of the server-sent event. */
  read(event: Fields, name: string | undefined): readonly object[]
  /** Whether the event that ends an answer was read: without it the answer was cut off. */
  hasEnded(): boolean
}

/** Opens a reader for one answer, which counts what the answer holds. */
export type WireReader = (limits: StepLimits) => EventReader
