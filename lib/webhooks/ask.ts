import type * as z from 'zod'
import type { IssueRef } from '../ports/tracker.ts'
import type { CreateTask } from '../tasks/schema.ts'
import { oneLine } from './outside-text.ts'

/** What a label asks for: an issue solved, or a change reviewed. */
export type LabelKind = 'task' | 'review'
/** What is asked for, what a comment says done included. */
export type AskKind = LabelKind | 'comment'

/** What an event asks for, in the words of no sender in particular; texts are as they came. */
export type Ask = {
  kind: AskKind
  /** The issue, by a name that it keeps when it is moved or renamed, where the sender has one. */
  issue: string
  /** The issue as the sender's API names it. */
  at: IssueRef
  sourceId: string
  title: string | undefined
  description: string | undefined
  /** What a comment says after `/ai `. */
  order?: string
  url: string | undefined
  labels: readonly string[]
  priority?: CreateTask['priority'] | undefined
  repository?: string
  branch?: string | undefined
  /** Of a new issue: all that its labels ask for. Senders send an event for each label as well. */
  openedWith?: readonly LabelKind[]
  /** More facts for the agent: `commit`, `author`. */
  facts?: Readonly<Record<string, string | undefined>>
}

/** What an event takes back: the issue is closed or gone, or has no more the labels that asked for this. */
export type Withdrawal = { issue: string; withdrawn: 'all' | readonly LabelKind[] }

/** What an event asks for or takes back, or why neither. */
export type Verdict = Ask | Withdrawal | string

/** The labels that ask for something. */
export type Labels = { task: string; review: string }

/** What to make of one kind of event. */
export type Rule = (payload: unknown, labels: Labels) => Verdict

/** A rule for events of one form; those of another ask for nothing. */
export const rule =
  <S extends z.ZodType>(form: S, decide: (event: z.output<S>, labels: Labels) => Verdict): Rule =>
  (payload, labels) => {
    const parsed = form.safeParse(payload)
    return parsed.success ? decide(parsed.data, labels) : 'The event does not say what it is about'
  }

/** All that these labels ask for; a task goes before a review. */
export const kindsOf = (names: readonly string[], labels: Labels): LabelKind[] => {
  const has = (label: string) => names.some((name) => name.toLowerCase() === label.toLowerCase())
  return (['task', 'review'] as const).filter((kind) => has(labels[kind]))
}

/** What one of these labels asks for, the first of `kindsOf`. */
export const kindOf = (names: readonly string[], labels: Labels): LabelKind | undefined =>
  kindsOf(names, labels)[0]

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
