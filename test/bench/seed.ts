import { openConnection } from './connection.ts'

/** About 30 MB; so many imports a minute are let through that none is refused. */
const CHUNK = 50_000
const FIRST_MS = Date.UTC(2024, 0, 1)
const SPAN_MS = 30 * 86_400_000
const STATUSES = ['completed', 'completed', 'completed', 'failed', 'cancelled'] as const

/**
 * Fills a service by POST /api/tasks/import with `count` finished tasks, spread over the same 30 days and the same mix
 * of states whatever their number, so that two stores differ in size only.
 */
export const seed = async (port: number, count: number): Promise<void> => {
  const connection = await openConnection(port)
  for (let from = 0; from < count; from += CHUNK) {
    const tasks = Array.from({ length: Math.min(CHUNK, count - from) }, (_, i) => finished(from + i, count))
    const reply = await connection.ask('POST', '/api/tasks/import', JSON.stringify({ version: '1.0', tasks }))
    const imported = reply.status === 200 && JSON.parse(reply.text).results?.imported
    if (imported !== tasks.length)
      throw new Error(`Import answered ${reply.status} ${reply.text.slice(0, 300)}`)
  }
  connection.close()
}

const finished = (number: number, count: number) => {
  const createdMs = FIRST_MS + Math.floor((number / count) * SPAN_MS)
  const status = STATUSES[number % STATUSES.length]
  const at = (laterMs: number) => new Date(createdMs + laterMs).toISOString()
  return {
    id: `task_${String(number).padStart(26, '0')}`,
    title: `Seeded task ${number}`,
    prompt: 'Read the failing test, find the cause, mend it and run the tests again.',
    priority: (number % 4) + 1,
    status,
    source: 'api',
    labels: ['seeded'],
    createdBy: 'local',
    createdAt: at(0),
    updatedAt: at(3_000),
    queuedAt: at(0),
    startedAt: at(1_000),
    completedAt: at(3_000),
    attempts: 1,
    maxAttempts: 3,
    agent: 'noop',
    ...(status === 'completed' ? { result: { success: true, output: 'done' } } : {}),
    ...(status === 'failed' ? { error: { code: 'agent_failed', message: 'It did not work' } } : {}),
  }
}
