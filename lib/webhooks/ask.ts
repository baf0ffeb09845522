import type * as z from 'zod'
import { oneLine } from '../core/shown-text.ts'
import type { IssueRef } from '../ports/tracker.ts'
import type { CreateTask } from '../tasks/schema.ts'

/** The request of a label: solve an issue, or review a change. */
export type LabelKind = 'task' | 'review'
export type AskKind = LabelKind | 'comment'

/** The request of an event, in terms that no sender defines. Texts are unchanged. */
export type Ask = {
  kind: AskKind
  /** The name of the issue. Where the sender has one, it is a name that stays when the issue is moved or renamed. */
  issue: string
  at: IssueRef
  sourceId: string
  title: string | undefined
  description: string | undefined
  order?: string
  url: string | undefined
  labels: readonly string[]
  priority?: CreateTask['priority'] | undefined
  repository?: string
  branch?: string | undefined
  /** For a new issue: the kinds of all its labels. Senders also send an event for each label. */
  openedWith?: readonly LabelKind[]
  /** Further facts for the agent: `commit`, `author`. */
  facts?: Readonly<Record<string, string | undefined>>
}

/** The request that an event withdraws: the issue is closed or deleted, or lost the labels of these kinds. */
export type Withdrawal = { issue: string; withdrawn: 'all' | readonly LabelKind[] }

/** The reading of an event: a request, a withdrawal, or the reason why it is neither. */
export type Verdict = Ask | Withdrawal | string

export type Labels = { task: string; review: string }

export type Rule = (payload: unknown, labels: Labels) => Verdict

/** A rule for events of one schema; events that do not fit it request nothing. */
export const rule =
  <S extends z.ZodType>(form: S, decide: (event: z.output<S>, labels: Labels) => Verdict): Rule =>
  (payload, labels) => {
    const parsed = form.safeParse(payload)
    return parsed.success ? decide(parsed.data, labels) : 'The event has no issue or comment'
  }

/** The kinds of these labels; a task goes before a review. */
export const labelKinds = (names: readonly string[], labels: Labels): LabelKind[] => {
  const has = (label: string) => names.some((name) => name.toLowerCase() === label.toLowerCase())
  return (['task', 'review'] as const).filter((kind) => has(labels[kind]))
}

export const firstLabelKind = (names: readonly string[], labels: Labels): LabelKind | undefined =>
  labelKinds(names, labels)[0]

export type Provider = {
  /** The name of an event, which selects its rule; `header` is the sender's event header. */
  eventName(payload: unknown, header: string | undefined): string | undefined
  rules: Readonly<Record<string, Rule>>
}

const LONGEST_NAME = 100

/** The name of an event, and the result of its rule. Pure, as rules are. */
export const interpret = (
  { eventName, rules }: Provider,
  payload: unknown,
  header: string | undefined,
  labels: Labels,
): { event: string; verdict: Verdict } => {
  const event = oneLine(eventName(payload, header), LONGEST_NAME) ?? 'unknown'
  const rule = Object.hasOwn(rules, event) ? rules[event] : undefined
  return { event, verdict: rule?.(payload, labels) ?? `Events of this type do not create tasks: ${event}` }
}
