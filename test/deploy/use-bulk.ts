import type { Functions } from './functions.ts'
import type { Call } from './use-everything.ts'

/** Larger than what a row keeps in itself. */
const LONG = 'word '.repeat(10_000)
const MOST_BATCHES = 20
const NOTICES = 'ai-task-notifications'

type Headers = Record<string, string>

/** Feeds a function notices, of which others may come first, until it has acted on each item of a bulk job. */
export const feedUntilDone = async (
  { http, feed }: Pick<Functions, 'http' | 'feed'>,
  name: string,
  id: string,
  known: Headers,
): Promise<void> => {
  for (let batch = 0; batch < MOST_BATCHES; batch += 1) {
    await feed(name, NOTICES)
    const { job } = await http('bulk', `GET /api/bulk/${id}`, undefined, known)
    const { done, failed, total } = job as { done: number; failed: number; total: number }
    if (done + failed === total) return
  }
  throw new Error(`${name} left bulk job ${id}`)
}

/** Bulk jobs of each kind, done by both functions that handle notices; failure groups, and one that is muted. */
export const useBulk = async (functions: Functions, call: Call, known: Headers): Promise<void> => {
  for (const name of ['notify', 'dlq']) await doAllIn(name, functions, call, known)
  const { failures } = await call('queue', 'GET /api/failures')
  for (const verb of ['mute', 'unmute'])
    await call('queue', `POST /api/failures/${failures[0]?.fingerprint}/${verb}`)
}

const doAllIn = async (name: string, functions: Functions, call: Call, known: Headers): Promise<void> => {
  const { feed } = functions
  const create = async (more: object = {}) => {
    const ticket = { source: 'codehost', sourceId: 'bulk#1' }
    const given = { title: 'Task', prompt: LONG, assignedAgent: 'moody', ...ticket, ...more }
    return (await call('tasks', 'POST /api/tasks', given)).task.id
  }
  const start = async (target: string, body: object) => {
    await call('bulk', `POST /api/${target}/bulk`, { ...body, dryRun: true })
    return (await call('bulk', `POST /api/${target}/bulk`, body)).job.id
  }
  const done = async (target: string, body: object) =>
    feedUntilDone(functions, name, await start(target, body), known)
  const runAll = async () => {
    for (let n = 0; n < 3; n += 1) for (const lane of ['', '-urgent']) await feed('worker', `ai-tasks${lane}`)
  }
  const waiting = [await create({ priority: 1 }), await create()]
  for (const taskId of waiting) await feed('dlq', 'ai-tasks-dlq', JSON.stringify({ v: 0, body: { taskId } }))
  await done('dlq', { action: 'retry', filter: {} })
  await done('tasks', { action: 'cancel', ids: [...waiting, 'none'] })
  await done('tasks', { action: 'retry', ids: waiting })
  await runAll()
  const failed = [await create({ metadata: { failures: 9 } }), await create({ metadata: { failures: 9 } })]
  await runAll()
  await done('dlq', { action: 'retry', filter: { agent: 'moody' } })
  await runAll()
  await done('tasks', { action: 'retry', ids: failed.slice(0, 1) })
  await runAll()
  await done('dlq', { action: 'discard', filter: { status: 'pending' } })
  await call('bulk', 'POST /api/dlq/bulk', { action: 'retry', ids: ['none'], dryRun: true })
  const stopped = await start('tasks', { action: 'retry', filter: { q: 'word', limit: 2 } })
  await call('bulk', `POST /api/bulk/${stopped}/cancel`)
  await call('bulk', 'GET /api/bulk?limit=1')
  await feed(name, NOTICES)
}
