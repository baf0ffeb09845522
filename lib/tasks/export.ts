import { pagesOf } from '../core/pages.ts'
import type { Principal } from '../core/principal.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import { EXPORT_VERSION } from './queries.ts'
import { publicTask, tasks } from './rows.ts'

const PAGE = 500

type Needs = {
  store: Store
  clock: Clock
  audit: (principal: Principal, action: string) => Promise<void>
}

/** The response header that names the stored copy of an export, where one is kept. */
export const COPY_HEADER = 'x-export-copy'

/**
 * All tasks as one JSON document `{version, exportedAt, tasks, taskCount}`, oldest first, in pieces: memory stays
 * flat for any number of them. The count comes last because it is the number of tasks that were written.
 */
export const createTaskExport = ({ store, clock, audit }: Needs) =>
  async function* exportTasks(principal: Principal): AsyncGenerator<string> {
    // Before the first byte, since nothing tells how many of them the caller takes.
    await audit(principal, 'task.export')
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
