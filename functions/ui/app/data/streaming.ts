import type { QueryKey } from '@tanstack/react-query'
import { createSignal } from './signal.ts'

export const isStreaming = createSignal(false)

export const LOGS = 'task-logs'
export const THREADS = 'threads'

/** Query topics by kind of event. Agents are missing: reading them checks the health of each. */
export const TOPICS: Readonly<Record<string, readonly string[]>> = {
  task: ['tasks', LOGS, THREADS, 'holds', 'analytics'],
  progress: [LOGS],
  report: ['tasks'],
  queue: ['queue'],
  dlq: ['dead-letters', 'queue', 'failures'],
  bulk: ['bulk'],
  approval: ['approvals', 'allowed-tools'],
  notification: ['notifications'],
}
const COVERED = new Set(Object.values(TOPICS).flat())

/** Topics that a decision about tasks or dead letters changes. */
export const WORK: readonly QueryKey[] = [
  ['tasks'],
  [LOGS],
  [THREADS],
  ['dead-letters'],
  ['queue'],
  ['failures'],
]

/** Logs are not covered: their last event may be stored after the task event. A message that waits in a thread has no event. */
export const isCovered = ([topic]: QueryKey): boolean =>
  typeof topic === 'string' && COVERED.has(topic) && topic !== LOGS && topic !== THREADS
