import { cutText } from '../core/cut-text.ts'
import type { CreateTask } from '../tasks/schema.ts'
import type { Ask } from './ask.ts'
import { httpUrl, oneLine } from './outside-text.ts'
import { webhookPrompt } from './prompt.ts'
import type { Sender } from './schema.ts'

const LONGEST_TITLE = 500
const LONGEST_TEXT = 100_000
const LONGEST_NAME = 500
const LONGEST_LABEL = 200
const MOST_LABELS = 50

const REPOSITORY = /^[\w.-]{1,200}\/[\w.-]{1,200}$/
/** The rules of git for branch names, as far as single characters show. */
const BRANCH = /^(?![-/.])[^\p{Cc}\p{Z}~^:?*[\]\\]{1,200}$/u

/**
 * The task that an event requests. Every text in it is untrusted: cut to the limits of a task, titles and labels to one
 * line, and left out if malformed. `mark` is not known outside yet; see `webhookPrompt`.
 */
export const webhookTask = (sender: Sender, event: string, ask: Ask, mark: string): CreateTask => {
  const title = toTitle(ask)
  const repository = formed(ask.repository, REPOSITORY)
  const branch = formed(ask.branch, BRANCH)
  const sourceUrl = httpUrl(ask.url)
  return {
    title,
    ...(ask.description ? { description: cutText(ask.description, LONGEST_TEXT) } : {}),
    prompt: webhookPrompt({ ...ask, url: sourceUrl }, title, mark),
    priority: toPriority(ask.labels, ask.priority),
    source: sender,
    sourceId: issueName(ask),
    ...(sourceUrl ? { sourceUrl } : {}),
    ...(repository ? { repository } : {}),
    ...(branch ? { branch } : {}),
    labels: toLabels(ask.labels),
    metadata: { webhook: { event, asks: ask.kind } },
  }
}

type Priority = CreateTask['priority']

const labelPriorities: Readonly<Record<string, Priority>> = {
  critical: 1,
  p0: 1,
  high: 2,
  p1: 2,
  low: 4,
  p3: 4,
}

/** The most urgent priority of the labels, else the tracker's own, else 3. */
const toPriority = (labels: readonly string[], own: Priority | undefined): Priority => {
  const named = labels
    .map((label) => label.toLowerCase())
    .filter((label) => Object.hasOwn(labelPriorities, label))
  const found = named.flatMap((label) => labelPriorities[label] ?? [])
  return found.sort((a, b) => a - b)[0] ?? own ?? 3
}

const issueName = ({ sourceId }: Ask): string => oneLine(sourceId, LONGEST_NAME) ?? 'without a name'

const toTitle = (ask: Ask): string => {
  const title = oneLine(ask.title, LONGEST_TITLE) ?? `Issue ${issueName(ask)}`
  return cutText(ask.kind === 'review' ? `Review: ${title}` : title, LONGEST_TITLE).trim()
}

const toLabels = (labels: readonly string[]): string[] => {
  const lines = labels.flatMap((label) => oneLine(label, LONGEST_LABEL) ?? [])
  return [...new Set(lines)].slice(0, MOST_LABELS)
}

const formed = (text: string | undefined, form: RegExp): string | undefined =>
  text !== undefined && form.test(text) ? text.toWellFormed() : undefined
