import type * as z from 'zod'
import type { CreateTask } from '../tasks/schema.ts'

/** What is asked for: an issue solved, a change reviewed, or what a comment says done. */
export type AskKind = 'task' | 'review' | 'comment'

/** What an event asks for, in the words of no sender in particular; texts are as they came. */
export type Ask = {
  kind: AskKind
  /** The issue, by a name that it keeps when it is moved or renamed, where the sender has one. */
  issue: string
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
  /** More facts for the agent: `commit`, `author`. */
  facts?: Readonly<Record<string, string | undefined>>
}

/** The labels that ask for something. */
export type Labels = { task: string; review: string }

/** What to make of one kind of event: what it asks for, or why it asks for nothing. */
export type Rule = (payload: unknown, labels: Labels) => Ask | string

/** A rule for events of one form; those of another ask for nothing. */
export const rule =
  <S extends z.ZodType>(form: S, decide: (event: z.output<S>, labels: Labels) => Ask | string): Rule =>
  (payload, labels) => {
    const parsed = form.safeParse(payload)
    return parsed.success ? decide(parsed.data, labels) : 'The event lacks what tells what it is about'
  }

/** What one of these labels asks for; a task goes before a review. */
export const kindOf = (names: readonly string[], labels: Labels): 'task' | 'review' | undefined => {
  const has = (label: string) => names.some((name) => name.toLowerCase() === label.toLowerCase())
  if (has(labels.task)) return 'task'
  return has(labels.review) ? 'review' : undefined
}
