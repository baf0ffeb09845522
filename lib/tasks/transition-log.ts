import type { Log } from '../ports/log.ts'
import type { AnyWrite, Outcome, Store, Write } from '../ports/store.ts'
import { tasks } from './rows.ts'
import type { TaskRow } from './schema.ts'

/**
 * A store that logs each change of a task's state that it has committed, its creation included, in whichever commit it
 * was: `{requestId, traceparent?, taskId, from?, to, attempt?}`. Without `requestId` where only the row that is stored
 * knows the request, and the commit did not return that row.
 */
export const withTransitionLog = (store: Store, log: Pick<Log, 'info'>): Store => {
  const commit = async <R extends object>(
    head: Write<R>,
    rows: readonly AnyWrite[] = [],
    detail?: boolean,
  ): Promise<Outcome<R>> => {
    const outcome = await store.commit(head, rows, detail)
    if (!outcome.applied) return outcome
    logChange(log, head, outcome.row)
    for (const write of rows) logChange(log, write, undefined)
    return outcome
  }
  return { ...store, commit }
}

/** `stored` is the row after the write, where the commit returned it. */
const logChange = (log: Pick<Log, 'info'>, write: AnyWrite, stored: object | undefined): void => {
  if ('insert' in write && write.insert === tasks) {
    const { id, status, trace } = write.row as TaskRow
    log.info({ ...trace, taskId: id, to: status }, 'task')
  } else if ('update' in write && write.update === tasks && write.set?.status !== undefined) {
    const { key, when, set } = write
    const attempt = write.log?.[0]?.attempt
    const { trace } = (stored ?? set) as Partial<TaskRow>
    const line = { ...trace, taskId: key, from: when?.status, to: set.status }
    log.info(attempt === undefined ? line : { ...line, attempt }, 'task')
  }
}
