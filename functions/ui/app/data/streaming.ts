import type { QueryKey } from '@tanstack/react-query'
import { createSignal } from './signal.ts'

/** Whether the stream of changes is open: nothing that it covers has to be asked for again. */
export const isStreaming = createSignal(false)

/** The topic of the logs of tasks. */
export const LOGS = 'task-logs'

/**
 * What a change of this kind may have changed on the page. Agents are not among it: to ask for them is to check the health of
 * each.
 */
export const TOPICS: Readonly<Record<string, readonly string[]>> = {
  task: ['tasks', LOGS, 'analytics'],
  progress: [LOGS],
  report: ['tasks'],
  queue: ['queue'],
  dlq: ['dead-letters', 'queue', 'failures'],
  bulk: ['bulk'],
  approval: ['approvals', 'allowed-tools'],
  notification: ['notifications'],
}
const COVERED = new Set(Object.values(TOPICS).flat())

/** What a retry, a cancel or another decision about tasks and dead letters may change. */
export const WORK = ['tasks', LOGS, 'dead-letters', 'queue', 'failures'] as const

/** Whether the stream alone keeps an answer fresh. It does not for a log: its end may be stored after the change of the task. */
export const isCovered = ([topic]: QueryKey): boolean =>
  typeof topic === 'string' && COVERED.has(topic) && topic !== LOGS
