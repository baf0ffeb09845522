import { setTimeout as sleep } from 'node:timers/promises'
import { openConnection } from './connection.ts'
import type { Options } from './options.ts'
import { quantile } from './quantile.ts'
import { atMost, type Row } from './row.ts'
import { seed } from './seed.ts'
import { startService } from './service.ts'
import { read } from './watch.ts'

const TASKS = 100_000
const LIMIT_MS = 100
const REPEATS = 200
const INDEX_POLL_MS = 500

/** What people look for: what one task has, what many have, what all have, and what none has. */
const searches: Readonly<Record<string, (n: number) => string>> = {
  'one task by its id': (n) => `task_${String(n * 499).padStart(26, '0')}`,
  'one task by the end of its id': (n) => String(n * 499).padStart(6, '0'),
  'a word of its title': (n) => `seeded ${n * 499}`,
  'an error': () => 'It did not work',
  'a word that all have': () => 'failing',
  'two letters': () => 'ed',
  'one letter': () => 'q',
  'a word that none has': (n) => `nowhere${n}`,
}

/** Searches of 100,000 tasks, whose pages of 50 have their total: 95 of 100. */
export const search = async ({ entry }: Options): Promise<Row[]> => {
  const service = await startService(entry)
  await seed(service.port, TASKS)
  const connection = await openConnection(service.port)
  await untilIndexed(connection)
  const rows: Row[] = []
  for (const [measure, text] of Object.entries(searches)) {
    const times: number[] = []
    for (let n = 0; n < REPEATS; n++) {
      const began = performance.now()
      await read(connection, `/api/tasks/filter?limit=50&q=${encodeURIComponent(text(n))}`)
      times.push(performance.now() - began)
    }
    const held = { ours: quantile(times, 0.95), against: LIMIT_MS, opponent: 'limit' }
    rows.push(atMost(1, { measure: `search of 100,000 tasks, p95: ${measure}`, unit: 'ms', ...held }))
  }
  connection.close()
  await service.stop()
  return rows
}

/** The oldest task is indexed last. */
const untilIndexed = async (connection: Awaited<ReturnType<typeof openConnection>>) => {
  const began = performance.now()
  const path = '/api/tasks/filter?limit=1&q=seeded'
  while (((await read(connection, path)) as { total?: number }).total !== TASKS) await sleep(INDEX_POLL_MS)
  console.error(`indexed ${Math.round(performance.now() - began)} ms after the import`)
}
