import type { StepLimits } from '../step-limits.ts'
import type { Fields } from '../wire-fields.ts'

/**
 * An event with one text. Texts of the same `key` that follow each other continue each other. When many arrive together
 * they become one event, since each event costs the same in all later steps.
 */
export class TextEvent {
  readonly key: string
  readonly text: string
  readonly withText: (text: string) => object

  constructor(key: string, text: string, withText: (text: string) => object) {
    this.key = key
    this.text = text
    this.withText = withText
  }
}

/** Reads the events of one answer. */
type EventReader = {
  /**
   * The event with its known fields only; nothing for an unknown event. `type` is that of the event, else the name of the
   * server-sent event.
   */
  read(event: Fields, type: string): readonly (object | TextEvent)[]
  /** The events for the end of the stream, which `[DONE]` may mark. */
  done?(isMarked: boolean): readonly object[]
  /** Whether the event that ends an answer was read: without it the answer was cut off. */
  hasEnded(): boolean
}

/** Opens a reader for one answer, which counts what the answer holds. */
export type WireReader = (limits: StepLimits) => EventReader
