import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { discard, end, firstLine, scratch, start, startBeside, startPiped } from '../children.ts'
import { columns, figure } from '../cloud/columns.ts'
import { freePort } from '../free-port.ts'
import { repository, startFlags } from '../paths.ts'
import { cpuSeconds, residentMb } from '../process-figures.ts'
import { atLeast, atMost, type Row } from '../row.ts'
import { plainEnv, ready } from '../system.ts'
import { table } from '../table.ts'
import type { Order, Result } from './load.ts'
import { measureStored } from './stored.ts'

/**
 * Agentic streams, and what is stored of them: `npm run bench:stream`. Provider, load generator and service are processes of
 * their own, on one machine that all three share.
 */
const here = import.meta.dirname

const startService = async (provider: string) => {
  const data = scratch('stream')
  const port = await freePort()
  const child = start(process.execPath, [...startFlags(), 'bin/start.js'], {
    cwd: repository,
    env: {
      ...plainEnv(),
      PORT: String(port),
      DATA_DIR: join(data, 'data'),
      WORKSPACES_DIR: join(data, 'workspaces'),
      MEMORY_DIR: join(data, 'memory'),
      OLLAMA_BASE_URL: `http://127.0.0.1:${provider}/v1`,
      OLLAMA_MODEL: 'bench',
      AGENTIC_ORPHAN_MS: '0',
    },
  })
  await ready(port, child)
  const stop = async () => {
    await end(child)
    discard(data)
  }
  return { port, pid: child.pid ?? 0, stop }
}

const load = async (order: Order): Promise<Result> => {
  const child = startPiped(join(here, 'load.ts'), JSON.stringify(order))
  const line = await firstLine(child)
  if (child.exitCode === null) await once(child, 'exit')
  const result: Result = JSON.parse(line)
  if (result.failed > 0) throw new Error(`${result.failed} of ${order.streams} streams failed`)
  return result
}

type Streams = Omit<Order, 'port'>

const WARM_UP: Streams = { atOnce: 4, streams: 40, chunks: 200, everyMs: 0, apartMs: 0, cutEvery: 0 }
const CALM: Streams = { ...WARM_UP, atOnce: 1, streams: 100, chunks: 5, everyMs: 20 }
const FAST: Streams = { ...WARM_UP, chunks: 5_000 }
/** All are open after 4 s, for 11 s. */
const MANY: Streams = { ...WARM_UP, atOnce: 200, streams: 200, chunks: 750, everyMs: 20, apartMs: 20 }
const CUT: Streams = { ...WARM_UP, atOnce: 20, streams: 1_000, chunks: 100, everyMs: 1, cutEvery: 2 }

type Through = { port: number | string; pid: number }
/** Microseconds of processor time for each event: what the figures of a busy machine can be held against. */
type Spent = { name: string; service: number; provider: number; reader: number; lagP99Ms: number }

/** The growth of a service that has had some of the same streams before. */
const growthMb = async (provider: string): Promise<number> => {
  const { port, pid, stop } = await startService(provider)
  await load({ port, ...CUT, streams: 200 })
  await sleep(10_000)
  const before = residentMb(pid)
  await load({ port, ...CUT })
  await sleep(10_000)
  const growth = residentMb(pid) - before
  await stop()
  return growth
}

/** What the streams take of time, memory and processors. */
const measureStreams = async () => {
  const provider = await startBeside(join(here, 'provider.ts'))
  const relay = await startBeside(join(here, 'relay.ts'), provider.port)
  const service = await startService(provider.port)
  const limit = { opponent: 'limit' }
  const spent: Spent[] = []
  const run = async (name: string, streams: Streams, through: Through = service): Promise<Result> => {
    console.error(`${name} …`)
    const [ofService, ofProvider] = [cpuSeconds(through.pid), cpuSeconds(provider.pid)]
    const result = await load({ port: Number(through.port), ...streams })
    const micros = (seconds: number) => (seconds / result.events) * 1e6
    spent.push({
      name,
      service: micros(cpuSeconds(through.pid) - ofService),
      provider: micros(cpuSeconds(provider.pid) - ofProvider),
      reader: micros(result.cpuSeconds),
      lagP99Ms: result.lagP99Ms,
    })
    return result
  }
  await load({ port: service.port, ...WARM_UP })
  const calm = await run('one stream after the other', CALM)
  const fast = await run('as fast as it goes', FAST)
  const many = await run('200 streams at 50 events/s', MANY)
  await service.stop()
  await run('the same through a bare relay in its place', MANY, relay)
  await relay.stop()
  console.error('memory …')
  const grownMb = await growthMb(provider.port)
  await provider.stop()

  const measured = (measure: string, unit: string, ours: number, against: number) => ({
    measure,
    unit,
    ours,
    against,
    ...limit,
  })
  const rows: Row[] = [
    atMost(1, measured('first event after first byte, p50', 'ms', calm.firstP50Ms, 5)),
    atLeast(1, measured('chunks through one process', '/s', fast.events / fast.seconds, 10_000)),
    atMost(1, measured('200 streams at 50 events/s, lag p99', 'ms', many.lagP99Ms, 100)),
    atMost(1, measured('growth over 1,000 streams, half of them cut', 'MB', grownMb, 20)),
  ]
  return { rows, spent }
}

/** With `--stored` only what is stored is measured, which no other load on the machine makes dearer. */
const main = async (): Promise<void> => {
  const { rows, spent } = process.argv.includes('--stored') ? { rows: [], spent: [] } : await measureStreams()
  console.error('storage …')
  const all = [...rows, ...(await measureStored())]
  console.log([table(all), ...(spent.length > 0 ? [spentTable(spent)] : [])].join('\n\n'))
  process.exit(all.every(({ pass }) => pass) ? 0 : 1)
}

const spentTable = (spent: readonly Spent[]): string =>
  columns(
    ['µs of processor time an event', 'service', 'provider', 'reader', 'lag p99, ms'],
    spent.map(({ name, ...figures }) => [name, ...Object.values(figures).map(figure)]),
    1,
  )

main().catch((error: Error) => {
  console.error(error.message)
  process.exit(1)
})
