import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { discard, end, scratch, start } from '../children.ts'
import { freePort } from '../free-port.ts'
import { repository, startFlags } from '../paths.ts'
import { atLeast, atMost, type Row } from '../row.ts'
import { plainEnv, ready } from '../system.ts'
import { table } from '../table.ts'
import type { Order, Result } from './load.ts'

/**
 * Agentic streams: `npm run bench:stream`. Provider, load generator and service are processes of their own, on one machine
 * that all three share.
 */
const here = import.meta.dirname

const firstLine = async (child: ChildProcess): Promise<string> => {
  if (child.stdout === null) throw new Error('The program has no output')
  for await (const line of createInterface({ input: child.stdout })) return line
  throw new Error(`${child.spawnargs.at(-1)} ended without an answer`)
}

const piped: SpawnOptions = { stdio: ['ignore', 'pipe', 'inherit'] }

const startProvider = async () => {
  const child = start(process.execPath, [join(here, 'provider.ts')], piped)
  return { child, port: await firstLine(child) }
}

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
      LOG_LEVEL: 'warn',
    },
  })
  await ready(port, child)
  const stop = async () => {
    await end(child)
    discard(data)
  }
  return { port, pid: child.pid ?? 0, stop }
}

const residentMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024

/** Seconds of processor time that a process has used. */
const cpuSeconds = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

const load = async (order: Order): Promise<Result> => {
  const child = start(process.execPath, [join(here, 'load.ts'), JSON.stringify(order)], piped)
  const line = await firstLine(child)
  if (child.exitCode === null) await once(child, 'exit')
  const result: Result = JSON.parse(line)
  if (result.failed > 0) throw new Error(`${result.failed} of ${order.streams} streams failed`)
  return result
}

const main = async (): Promise<void> => {
  const provider = await startProvider()
  const service = await startService(provider.port)
  const { port, pid } = service
  const limit = { opponent: 'limit' }
  const rows: Row[] = []
  const run = (order: Omit<Order, 'port'>) => load({ port, ...order })

  await run({ atOnce: 4, streams: 40, chunks: 200, everyMs: 0, cutEvery: 0 })
  console.error('first event …')
  const calm = await run({ atOnce: 1, streams: 100, chunks: 5, everyMs: 20, cutEvery: 0 })
  rows.push(
    atMost(1, {
      measure: 'first event after first byte, p50',
      unit: 'ms',
      ours: calm.firstP50Ms,
      against: 5,
      ...limit,
    }),
  )

  console.error('throughput …')
  const cpuBefore = cpuSeconds(pid)
  const fast = await run({ atOnce: 4, streams: 40, chunks: 5_000, everyMs: 0, cutEvery: 0 })
  const cpuMicros = ((cpuSeconds(pid) - cpuBefore) / (40 * 5_000)) * 1e6
  rows.push(
    atLeast(1, {
      measure: 'chunks through one process',
      ...{ unit: '/s', ours: (40 * 5_000) / fast.seconds, against: 10_000, ...limit },
    }),
  )

  console.error('200 streams …')
  const many = await run({ atOnce: 200, streams: 200, chunks: 500, everyMs: 20, cutEvery: 0 })
  rows.push(
    atMost(1, {
      measure: '200 streams at 50 events/s, lag p99',
      ...{ unit: 'ms', ours: many.lagP99Ms, against: 100, ...limit },
    }),
  )

  console.error('memory …')
  await sleep(5_000)
  const before = residentMb(pid)
  await run({ atOnce: 20, streams: 1_000, chunks: 100, everyMs: 1, cutEvery: 2 })
  await sleep(10_000)
  rows.push(
    atMost(1, {
      measure: 'growth over 1,000 streams, half of them cut',
      ...{ unit: 'MB', ours: residentMb(pid) - before, against: 20, ...limit },
    }),
  )

  console.log(table(rows))
  console.log(`\nprocessor time of the service: ${cpuMicros.toFixed(1)} µs per chunk`)
  await service.stop()
  await end(provider.child)
  process.exit(rows.every(({ pass }) => pass) ? 0 : 1)
}

main().catch((error: Error) => {
  console.error(error.message)
  process.exit(1)
})
