import { pagesOf } from '../core/pages.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import { EXPORT_VERSION } from './queries.ts'
import { publicTask, tasks } from './rows.ts'

const PAGE = 500

/** Where a copy of the export is kept, in the answers of whoever keeps one. */
export const COPY_HEADER = 'x-export-copy'

/**
 * All tasks as one JSON document `{version, exportedAt, tasks, taskCount}`, oldest first, in pieces: memory stays
 * flat whatever their number. The count comes last because it is the number of tasks that were written.
 */
export const createTaskExport = ({ store, clock }: { store: Store; clock: Clock }) =>
  async function* exportTasks(): AsyncGenerator<string> {
    yield `{"version":"${EXPORT_VERSION}","exportedAt":"${iso(clock.now())}","tasks":[`
    let written = 0
    const all = { index: 'newest', order: 'asc', limit: PAGE, detail: true } as const
    for await (const rows of pagesOf((from) => store.page(tasks, { ...all, ...from }))) {
      if (rows.length > 0) {
        yield (written > 0 ? ',' : '') + rows.map((row) => JSON.stringify(publicTask(row))).join(',')
      }
      written += rows.length
    }
    yield `],"taskCount":${written}}`
  }
