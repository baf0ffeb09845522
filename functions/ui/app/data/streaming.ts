import type { QueryKey } from '@tanstack/react-query'
import { createSignal } from './signal.ts'

export const isStreaming = createSignal(false)

export const LOGS = 'task-logs'
export const THREADS = 'threads'

/** Query topics by kind of event. */
export const TOPICS: Readonly<Record<string, readonly string[]>> = {
  task: ['tasks', LOGS, THREADS, 'holds', 'analytics', 'inbox'],
  progress: [LOGS],
  report: ['tasks'],
  queue: ['queue'],
  dlq: ['dead-letters', 'queue', 'failures', 'inbox'],
  bulk: ['bulk'],
  approval: ['approvals', 'allowed-tools', 'inbox'],
  inbox: ['inbox'],
  runner: ['runners', 'agents', 'health'],
}

/**
 * Topics that change without an event. Logs: their last event may be stored after the task event. Threads: a message that waits has no event.
 * Runners, agents and health: when one was last seen, and whether it works, is known by asking only.
 */
const POLLED: ReadonlySet<string> = new Set([LOGS, THREADS, 'runners', 'agents', 'health'])
const COVERED = new Set(
  Object.values(TOPICS)
    .flat()
    .filter((topic) => !POLLED.has(topic)),
)

/** Topics that a decision about tasks or dead letters changes. */
export const WORK: readonly QueryKey[] = [
  ['tasks'],
  [LOGS],
  [THREADS],
  ['dead-letters'],
  ['queue'],
  ['failures'],
  ['inbox'],
]

/** Whether the event stream reports each change of a query. */
export const isCovered = ([topic]: QueryKey): boolean => typeof topic === 'string' && COVERED.has(topic)
