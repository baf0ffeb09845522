import type { OwnMonth } from '../budgets/schema.ts'
import { definedFields } from '../core/defined-fields.ts'
import { failureFingerprint } from '../core/failure-group.ts'
import type { Principal } from '../core/principal.ts'
import { toTrace } from '../core/trace.ts'
import { admitting, type Handlers, Reply } from '../http/route.ts'
import type { FindReport } from '../reporting/schema.ts'
import type { taskRoutes } from './contract.ts'
import type { ReadCreators } from './creators.ts'
import { COPY_HEADER, type KeepExport } from './export.ts'
import type { Task } from './schema.ts'
import type { Tasks } from './service.ts'

type Needs = {
  tasks: Tasks
  budgets: { readOwnMonth: (principal: Principal) => Promise<OwnMonth> }
  findReport: FindReport
  readCreators: ReadCreators
  /** Stores a copy of every export, in modes that have copies. */
  keepExport?: KeepExport
}

export const taskHandlers = ({
  tasks,
  budgets,
  findReport,
  readCreators,
  keepExport = (pieces) => ({ pieces }),
}: Needs): Handlers<typeof taskRoutes> => ({
  listTasks: ({ query }) => tasks.list(query),
  createTask: async ({ body, headers }, call) => {
    const key = headers['idempotency-key']
    const message = 'Task created and queued'
    if (key === undefined) return { message, task: await tasks.create(call.principal, body, toTrace(call)) }
    const { task, replayed } = await tasks.createOnce(call.principal, body, key, toTrace(call))
    return new Reply({ message, task }, replayed ? { headers: { 'idempotent-replayed': 'true' } } : {})
  },
  filterTasks: ({ query }) => tasks.filter(query),
  taskCreators: async ({ query }) => ({ creators: await readCreators(query.tasks) }),
  taskAnalytics: async ({ query }, { principal }) => {
    const [analytics, own] = await Promise.all([tasks.analytics(query), budgets.readOwnMonth(principal)])
    return { ...analytics, month: { ...analytics.month, own } }
  },
  exportTasks: (_input, { principal }) => {
    const { pieces, copy } = keepExport(tasks.exportAll(principal))
    const disposition = { 'content-disposition': 'attachment; filename="tasks-export.json"' }
    const headers = copy === undefined ? disposition : { ...disposition, [COPY_HEADER]: copy }
    return new Reply({ raw: pieces }, { headers })
  },
  importTasks: admitting(
    ({ principal }) => tasks.countImport(principal),
    async (_input, { principal, pieces }) => {
      const { total, ...results } = await tasks.importAll(principal, pieces())
      return { message: `Imported ${results.imported} of ${total} tasks`, results }
    },
  ),
  getTask: async ({ params }) => {
    const task = await tasks.get(params.id)
    const report = HAS_NO_REPORT.has(task.source) ? undefined : await findReport(task.id)
    return { task: { ...task, ...definedFields({ report, fingerprint: fingerprintIfFailed(task) }) } }
  },
  cancelTask: async ({ params }, { principal }) => {
    // Before the cancel, which hands them over.
    const messages = await tasks.messagesWaitingFor(params.id)
    const task = await tasks.cancel(principal, params.id)
    return { message: 'Task cancelled', task, ...(messages.length > 0 && { messages }) }
  },
  retryTask: async ({ params }, call) => ({
    message: 'Task retried as a new task',
    task: await tasks.retry(call.principal, params.id, toTrace(call)),
    originalTaskId: params.id,
  }),
  replyToTask: async ({ params, body, headers }, call) => {
    const sent = { body, key: headers['idempotency-key'], trace: toTrace(call) }
    const { replayed, ...answer } = await tasks.replies.reply(call.principal, params.id, sent)
    return new Reply(answer, replayed ? { headers: { 'idempotent-replayed': 'true' } } : {})
  },
  getThread: async ({ params }) => ({ thread: await tasks.readThread(params.id) }),
  taskEvents: ({ params, query }) => tasks.events(params.id, query),
  taskAttempts: ({ params }) => tasks.attempts(params.id),
  getAttempt: async ({ params }) => ({ attempt: await tasks.attempt(params.id, params.attemptId) }),
})

/** Sources without issues, so without reports. */
const HAS_NO_REPORT: ReadonlySet<Task['source']> = new Set(['api', 'cron'])

const fingerprintIfFailed = ({ status, error, agent }: Task): string | undefined =>
  status === 'failed' && error ? failureFingerprint({ ...error, agent }) : undefined
