import type { StepLimits } from '../step-limits.ts'
import type { Fields } from '../wire-fields.ts'

/** An event with one text. When many arrive together, neighbours with the same `key` are joined: each event costs later. */
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

type EventReader = {
  /** The event with its known fields, none for an unknown one. `type` is its own, else that of the server-sent event. */
  read(event: Fields, type: string): readonly (object | TextEvent)[]
  /** The events for the end of the stream, which `[DONE]` may mark. */
  done?(isMarked: boolean): readonly object[]
  /** Whether the event that ends an answer was read: without it the answer was cut off. */
  hasEnded(): boolean
}

/** Opens a reader for one answer, which counts what the answer holds. */
export type WireReader = (limits: StepLimits) => EventReader
