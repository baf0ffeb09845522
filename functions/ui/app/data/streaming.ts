import type { QueryKey } from '@tanstack/react-query'
import { createSignal } from './signal.ts'

/** Whether the stream of changes is open: nothing that it covers has to be asked for again. */
export const isStreaming = createSignal(false)

/**
 * What a change of this kind may have changed on the page. Agents are not among it: to ask for them is to check the health of
 * each.
 */
export const TOPICS: Readonly<Record<string, readonly string[]>> = {
  task: ['tasks', 'analytics'],
  report: ['tasks'],
  queue: ['queue'],
  dlq: ['dead-letters', 'queue', 'failures'],
  bulk: ['bulk'],
  approval: ['approvals', 'allowed-tools'],
  notification: ['notifications'],
}
const COVERED = new Set(Object.values(TOPICS).flat())

/** Whether changes of an answer are streamed. The progress of a run is not. */
export const isCovered = ([topic, kind]: QueryKey): boolean =>
  typeof topic === 'string' && COVERED.has(topic) && kind !== 'events'
