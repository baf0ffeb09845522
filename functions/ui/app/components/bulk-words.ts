import type { BulkAction, BulkSummary, BulkTarget } from '../data/bulk-jobs.ts'
import { formatNumber } from './format.ts'

type Words = {
  name: string
  /** Participle for the result. */
  past: string
  kind: 'primary' | 'danger'
  keep: string
  /** The consequence, shown before the job starts. */
  text: string
}

const words: Readonly<Record<`${BulkTarget} ${BulkAction}`, Words | undefined>> = {
  'tasks cancel': {
    name: 'Cancel',
    past: 'cancelled',
    kind: 'danger',
    keep: 'Keep',
    text: 'Running tasks are stopped. You can retry them later as new tasks.',
  },
  'tasks retry': {
    name: 'Retry',
    past: 'retried',
    kind: 'primary',
    keep: 'Not now',
    text: 'Each runs as a new task, which costs tokens again. Their dead letters are resolved.',
  },
  'dlq retry': {
    name: 'Retry',
    past: 'retried',
    kind: 'primary',
    keep: 'Not now',
    text: 'Their tasks are queued again with all attempts, which costs tokens again.',
  },
  'dlq discard': {
    name: 'Discard',
    past: 'discarded',
    kind: 'danger',
    keep: 'Keep',
    text: 'Their tasks stay failed. You can still retry each task from its page.',
  },
  'tasks discard': undefined,
  'dlq cancel': undefined,
}

const others: Words = { name: 'Change', past: 'changed', kind: 'primary', keep: 'Not now', text: '' }

export const bulkWords = (target: BulkTarget, action: BulkAction): Words =>
  words[`${target} ${action}`] ?? others

const nouns = { tasks: ['task', 'tasks'], dlq: ['dead letter', 'dead letters'] } as const

/** `3 tasks`; `tasks` without a count. */
export const bulkCount = (target: BulkTarget, count?: number): string => {
  const [one, many] = nouns[target]
  if (count === undefined) return many
  return `${formatNumber(count)} ${count === 1 ? one : many}`
}

/** `Retry 3 tasks` */
export const bulkTitle = ({ target, action, total }: BulkSummary): string =>
  `${bulkWords(target, action).name} ${bulkCount(target, total)}`
