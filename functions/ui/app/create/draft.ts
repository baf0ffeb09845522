import type { Task } from '../../../../lib/tasks/schema.ts'
import { newIdempotencyKey } from '../data/idempotency-key.ts'
import { dropReplies } from '../data/reply-drafts.ts'
import { createShared, createStored } from '../data/stored.ts'
import { limitTexts } from './limits.ts'

/** `again`: a task that is edited and run again. */
export type Purpose = 'create' | 'again'
type Fields = Readonly<Record<string, string>>

export type Draft = {
  readonly fields: Fields
  /** Values without a field. */
  readonly rest: Readonly<Record<string, unknown>>
  /** Submitting failed, or the form was closed while offline. */
  readonly isUnsent: boolean
  readonly taskId?: string
  /** The last request and its key. The response may be lost, and the page reloaded since. */
  readonly sent?: { readonly text: string; readonly key: string }
}

const none: Draft = { fields: {}, rest: {}, isUnsent: false }

const isDraft = (value: unknown): value is Draft =>
  typeof value === 'object' &&
  value !== null &&
  'rest' in value &&
  'fields' in value &&
  typeof value.fields === 'object'

// Stored outside of the form, so that drafts survive closing the form and the page. Each tab edits its own draft.
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

/** Marks a draft to be offered again. */
export const keepUnsent = (purpose: Purpose) => {
  const draft = drafts[purpose].get()
  if (!isEmptyDraft(draft)) drafts[purpose].set({ ...draft, isUnsent: true })
}

// A draft from before the page was reloaded.
keepUnsent('create')

export const dropDraft = (purpose: Purpose) => {
  drafts[purpose].set(none)
}

/** For a draft that the service took with these fields. What was typed since is kept, and offered again. */
export const dropSent = (purpose: Purpose, fields: Fields) => {
  const { sent: _, ...draft } = drafts[purpose].get()
  if (JSON.stringify(draft.fields) === JSON.stringify(fields)) return dropDraft(purpose)
  drafts[purpose].set(draft)
  keepUnsent(purpose)
}

const signedOutAt = createShared('signed-out-at', 0, (value) => typeof value === 'number')
// Every open tab drops its drafts.
signedOutAt.subscribe(() => {
  dropDraft('create')
  dropDraft('again')
})

/** For sign-out: the next user must not see the drafts. */
export const dropDrafts = () => {
  dropReplies()
  signedOutAt.update(() => Date.now())
}

/** An unchanged resend gets the same idempotency key, and creates one task. */
export const idempotencyKey = (purpose: Purpose, body: object): string => {
  const text = JSON.stringify(body)
  const draft = drafts[purpose].get()
  if (draft.sent?.text === text) return draft.sent.key
  const key = newIdempotencyKey()
  drafts[purpose].set({ ...draft, sent: { text, key } })
  return key
}

/**
 * Prefills the `again` form from a task, with another prompt where one is given. An unsent draft of the same task is kept; false if an
 * unsent draft of another task would be replaced.
 */
export const draftFrom = (task: Task, changed: { readonly prompt?: string } = {}): boolean => {
  const before = drafts.again.get()
  if (before.isUnsent && !isEmptyDraft(before)) {
    if (before.taskId !== task.id) return false
    drafts.again.set({ ...before, fields: { ...before.fields, ...changed } })
    return true
  }
  const { title, prompt, priority, assignedAgent, repository, branch, labels, runsOn, sourceUrl } = task
  const { description, metadata: { securityMode, ...metadata } = {} } = task
  const fields = {
    title,
    ...(typeof securityMode === 'string' ? { securityMode } : {}),
    prompt,
    priority: String(priority),
    assignedAgent,
    repository,
    branch,
    sourceUrl,
    labels: labels.join(', '),
    runsOn: runsOn?.join(', '),
    ...limitTexts(task),
    ...changed,
  }
  const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const rest = {
    ...(description ? { description } : {}),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  }
  drafts.again.set({ fields: Object.fromEntries(given), rest, isUnsent: false, taskId: task.id })
  return true
}
