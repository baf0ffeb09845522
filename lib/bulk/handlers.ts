import { toTrace } from '../core/trace.ts'
import { type Handlers, Reply } from '../http/route.ts'
import type { bulkRoutes } from './contract.ts'
import type { Bulk } from './service.ts'

export const bulkHandlers = ({ bulk }: { bulk: Bulk }): Handlers<typeof bulkRoutes> => ({
  bulkTasks: async ({ body }, call) =>
    body.dryRun === true
      ? new Reply(await bulk.previewTasks(body), { status: 200 })
      : { job: await bulk.startTasks(call.principal, body, toTrace(call)) },
  bulkDlq: async ({ body }, call) =>
    body.dryRun === true
      ? new Reply(await bulk.previewLetters(body), { status: 200 })
      : { job: await bulk.startDlq(call.principal, body, toTrace(call)) },
  listBulk: ({ query }, { principal }) => bulk.list(principal, query),
  getBulk: async ({ params }) => ({ job: await bulk.get(params.id) }),
  cancelBulk: async ({ params }, { principal }) => {
    const job = await bulk.cancel(principal, params.id)
    const message = job.status === 'cancelled' ? 'Bulk job cancelled' : 'Bulk job already ended'
    return { message, job }
  },
})
