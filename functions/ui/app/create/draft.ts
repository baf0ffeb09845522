import type { Task } from '../../../../lib/tasks/schema.ts'
import { createStored } from '../data/stored.ts'

/** What the form is open for: a task of its own, or one that was and is changed before it runs again. */
export type Purpose = 'create' | 'again'
type Fields = Readonly<Record<string, string>>

/** What was typed into a form and is not sent yet. */
export type Draft = {
  readonly fields: Fields
  /** What goes along with it and has no field. */
  readonly rest: Readonly<Record<string, unknown>>
  /** Whether it was to be sent and was not. */
  readonly isUnsent: boolean
  /** The id of the task that is edited and run again. */
  readonly taskId?: string
  /** What was sent of it last, and its key: the answer may be lost, and the page closed since. */
  readonly sent?: { readonly text: string; readonly key: string }
}

const none: Draft = { fields: {}, rest: {}, isUnsent: false }

const isDraft = (value: unknown): value is Draft =>
  typeof value === 'object' &&
  value !== null &&
  'rest' in value &&
  'fields' in value &&
  typeof value.fields === 'object'

// Outside of the form, so that closing the form keeps what was typed, and closing the page too.
const drafts = {
  create: createStored<Draft>('draft-create', none, isDraft),
  again: createStored<Draft>('draft-again', none, isDraft),
}

export const draftFor = (purpose: Purpose) => drafts[purpose]

export const isEmptyDraft = ({ fields }: Draft): boolean =>
  (fields.title ?? '').trim() === '' && (fields.prompt ?? '').trim() === ''

export const keepDraft = (purpose: Purpose, form: Iterable<[string, FormDataEntryValue]>) => {
  const fields = Object.fromEntries([...form].map(([name, value]) => [name, String(value)]))
  drafts[purpose].set({ ...drafts[purpose].get(), fields })
}

/** Notes that a draft was to be sent: it is offered again until it was. */
export const keepUnsent = (purpose: Purpose) => {
  const draft = drafts[purpose].get()
  if (!isEmptyDraft(draft)) drafts[purpose].set({ ...draft, isUnsent: true })
}

// What was typed before the page was closed, or loaded anew.
keepUnsent('create')

/** After it was sent, or given up. */
export const dropDraft = (purpose: Purpose) => {
  drafts[purpose].set(none)
}

/** Of a user who signs out: the next one does not see what was typed. */
export const dropDrafts = () => {
  dropDraft('create')
  dropDraft('again')
}

const newKey = () => `page-${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}`

/** A key for what is sent: what is sent again unchanged, since its answer was lost, has the same and makes one task. */
export const idempotencyKey = (purpose: Purpose, body: object): string => {
  const text = JSON.stringify(body)
  const draft = drafts[purpose].get()
  if (draft.sent?.text === text) return draft.sent.key
  const key = newKey()
  drafts[purpose].set({ ...draft, sent: { text, key } })
  return key
}

/**
 * Fills the form with what a task was asked for, and returns true. What was typed for this task and not sent stays; false where
 * that of another task is not sent yet, which it would replace.
 */
export const draftFrom = (task: Task): boolean => {
  const before = drafts.again.get()
  if (before.isUnsent && !isEmptyDraft(before)) return before.taskId === task.id
  const { title, prompt, priority, assignedAgent, repository, branch, labels, sourceUrl } = task
  const fields = {
    title,
    prompt,
    priority: String(priority),
    assignedAgent,
    repository,
    branch,
    sourceUrl,
    labels: labels.join(', '),
  }
  const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const { description, metadata } = task
  const rest = { ...(description ? { description } : {}), ...(metadata ? { metadata } : {}) }
  drafts.again.set({ fields: Object.fromEntries(given), rest, isUnsent: false, taskId: task.id })
  return true
}
