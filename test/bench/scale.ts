import { type Connection, openConnection } from './connection.ts'
import type { Options } from './options.ts'
import { median } from './quantile.ts'
import { atMost, type Row } from './row.ts'
import { seed } from './seed.ts'
import { startService } from './service.ts'
import { machineMs } from './starts.ts'
import { read } from './watch.ts'

const SMALL = 1_000
const REPEATS = 200

/** Reads that must cost the same whatever the store holds: 1,000 tasks beside 1,000,000, request by request in turn. */
export const scale = async ({ tasks, entry }: Options): Promise<Row[]> => {
  const big = await startSeeded(entry, tasks)
  const small = await startSeeded(entry, SMALL)
  const rows: Row[] = []
  for (const [measure, openReader] of Object.entries(readers)) {
    const ours = await openReader(big.connection, tasks)
    const against = await openReader(small.connection, SMALL)
    const times = await inTurn(ours, against)
    const held = {
      ours: median(times.ours),
      against: median(times.against),
      opponent: `at ${grouped(SMALL)}`,
    }
    rows.push(atMost(2, { measure: `${measure} at ${grouped(tasks)}`, unit: 'ms', ...held }))
  }
  for (const { connection, service } of [big, small]) {
    connection.close()
    await service.stop()
  }
  return rows
}

const grouped = (count: number) => count.toLocaleString('en-US')

type Reader = () => Promise<void>

const readers: Record<string, (connection: Connection, tasks: number) => Promise<Reader>> = {
  'cursor page of 50': (connection, tasks) => pageWalker(connection, tasks),
  'page of one status': async (connection) => reader(connection, '/api/tasks?status=failed&limit=50'),
  analytics: async (connection) => reader(connection, '/api/tasks/analytics'),
  'queue status': async (connection) => reader(connection, '/api/queue/status'),
}

const reader =
  (connection: Connection, path: string): Reader =>
  async () => {
    const { status } = await connection.ask('GET', path)
    if (status !== 200) throw new Error(`GET ${path} answered ${status}`)
  }

/** Walks pages by cursor from the middle of the list, and again from there when it comes near the end of the small one. */
const pageWalker = async (connection: Connection, tasks: number): Promise<Reader> => {
  const lastPageCursor = async (query: string) => {
    const page = (await read(connection, `/api/tasks?limit=50&${query}`)) as {
      nextCursor?: string
      total?: number
    }
    if (page.total !== tasks || !page.nextCursor)
      throw new Error(`A page of ${tasks} tasks said ${page.total} in all`)
    return `cursor=${encodeURIComponent(page.nextCursor)}`
  }
  const middle = await lastPageCursor(`offset=${tasks / 2 - 50}`)
  let at = middle
  let steps = 0
  return async () => {
    at = steps++ % 8 === 0 ? await lastPageCursor(middle) : await lastPageCursor(at)
  }
}

const inTurn = async (ours: Reader, against: Reader) => {
  const times = { ours: [] as number[], against: [] as number[] }
  // The first tenth warms both up. They swap places, as the one that follows finds the processor warmer.
  for (let i = -REPEATS / 10; i < REPEATS; i++) {
    const [first, second] = i % 2 === 0 ? [ours, against] : [against, ours]
    const [firstMs, secondMs] = [await timed(first), await timed(second)]
    if (i < 0) continue
    times.ours.push(i % 2 === 0 ? firstMs : secondMs)
    times.against.push(i % 2 === 0 ? secondMs : firstMs)
  }
  return times
}

const timed = async (run: Reader): Promise<number> => {
  const before = machineMs()
  await run()
  return machineMs() - before
}

const startSeeded = async (entry: string, tasks: number) => {
  const service = await startService(entry)
  await seed(service.port, tasks)
  return { service, connection: await openConnection(service.port) }
}
