import type { Rule } from './ask.ts'

/** What is made of the events of a sender. */
export type Provider = {
  /** The name of an event, by which its rule is found; `header` is what the sender's header for it says, where it has one. */
  eventOf(payload: unknown, header: string | undefined): string | undefined
  /** What is made of an event, by its name; others ask for nothing. */
  rules: Readonly<Record<string, Rule>>
}
