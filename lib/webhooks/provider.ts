import type { Labels, Rule, Verdict } from './ask.ts'
import { oneLine } from './outside-text.ts'

/** How the events of a sender are read. */
export type Provider = {
  /** The name of an event, by which its rule is found; `header` is the value of the sender's event header, if it has one. */
  eventOf(payload: unknown, header: string | undefined): string | undefined
  /** Rules by the name of the event; an event without a rule asks for nothing. */
  rules: Readonly<Record<string, Rule>>
}

const LONGEST_NAME = 100

/** The name of an event, and what the rule of that name makes of it. Pure, as rules are. */
export const interpret = (
  { eventOf, rules }: Provider,
  payload: unknown,
  header: string | undefined,
  labels: Labels,
): { event: string; verdict: Verdict } => {
  const event = oneLine(eventOf(payload, header), LONGEST_NAME) ?? 'unknown'
  const rule = Object.hasOwn(rules, event) ? rules[event] : undefined
  return { event, verdict: rule?.(payload, labels) ?? `Events of this kind make no task: ${event}` }
}
