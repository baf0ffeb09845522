import type { Ask, Labels } from './ask.ts'
import { oneLine } from './outside-text.ts'
import type { Provider } from './provider.ts'

const LONGEST_NAME = 100

/** An event by its name, and what it asks for, or why for nothing. */
export type Judged = { event: string; verdict: Ask | string }

/** What an event asks for, by the rule for its name. Rules are pure, and there is one for each event that may ask for something. */
export const judge = (
  { eventOf, rules }: Provider,
  payload: unknown,
  header: string | undefined,
  labels: Labels,
): Judged => {
  const event = oneLine(eventOf(payload, header), LONGEST_NAME) ?? 'unknown'
  const found = Object.hasOwn(rules, event) ? rules[event] : undefined
  return { event, verdict: found?.(payload, labels) ?? `Events of this kind make no task: ${event}` }
}
