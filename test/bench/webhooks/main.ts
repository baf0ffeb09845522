import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startBeside } from '../children.ts'
import { columns, figure } from '../cloud/columns.ts'
import { openConnection } from '../connection.ts'
import { repository } from '../paths.ts'
import { cpuSeconds, residentMb } from '../process-figures.ts'
import { median } from '../quantile.ts'
import { runRound } from '../round.ts'
import { atLeast, atMost, type Row } from '../row.ts'
import { startService } from '../service.ts'
import { machineMs } from '../starts.ts'
import type { System } from '../system.ts'
import { table } from '../table.ts'
import type { Heard } from './receiver.ts'

/**
 * Outbound webhooks in mode `mini`: `npm run bench:webhooks`. Service, receivers and this program are processes of their own,
 * on one machine that all of them share. `--deaf` measures only what a registration costs that gets no events, `--sends`
 * only the deliveries.
 */
const entry = join(repository, 'bin/start.js')

/** A webhook hears of each task once: so many tasks make 10,000 deliveries, 9,000 of them to those that answer. */
const ENDPOINTS = 100
const HANGING = 10
const TASKS = 100
const WARM_UP_TASKS = 20
const HEALTHY = ENDPOINTS - HANGING
/** 540 deliveries a second to those that answer. */
const PACED_MS = 1_000 / 6
const STALLED_AFTER_MS = 60_000

const MOST_LAG_MS = 1_000
const LEAST_PER_S = 500
const MOST_GROWTH_MB = 20

const startReceivers = () => startBeside(join(import.meta.dirname, 'receiver.ts'))
type Receivers = Awaited<ReturnType<typeof startReceivers>>

const post = async ({ port }: System, path: string, body: object) => {
  const answer = await fetch(`http://127.0.0.1:${port}/api/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (answer.status !== 201)
    throw new Error(`POST /api/${path} answered ${answer.status} ${await answer.text()}`)
}

const register = async (service: System, receivers: Receivers) => {
  for (let n = 0; n < ENDPOINTS; n += 1) {
    const url = `http://127.0.0.1:${receivers.port}/${n < HANGING ? 'hang' : 'ok'}/${n}`
    await post(service, 'webhooks', { url, events: ['task.created'], secret: 'a secret of the benchmark' })
  }
}

const of = async (receivers: Receivers, path: string) =>
  (await fetch(`http://127.0.0.1:${receivers.port}/${path}`)).text()

/** Resolves when so many have come; throws when for a minute nothing did. */
const untilHeard = async (receivers: Receivers, count: number): Promise<Heard> => {
  let last = 0
  for (let movedMs = machineMs(); ; await sleep(20)) {
    const now = Number(await of(receivers, 'count'))
    if (now >= count) return JSON.parse(await of(receivers, 'heard'))
    if (now > last) movedMs = machineMs()
    last = now
    if (machineMs() - movedMs > STALLED_AFTER_MS) throw new Error(`Stalled: ${now} of ${count} have come`)
  }
}

/** Creates tasks, each so long after the one before, and waits until all healthy endpoints have heard of all of them. */
const run = async (service: System, receivers: Receivers, tasks: number, everyMs: number) => {
  const connection = await openConnection(service.port)
  const ofService = cpuSeconds(service.child.pid ?? 0)
  const ofReceivers = cpuSeconds(receivers.pid)
  const fromMs = machineMs()
  for (let n = 0; n < tasks; n += 1) {
    await sleep(Math.max(0, fromMs + n * everyMs - machineMs()))
    const { status, text } = await connection.ask('POST', '/api/tasks', `{"title":"Benchmark task ${n}"}`)
    if (status !== 201) throw new Error(`POST /api/tasks answered ${status} ${text}`)
  }
  connection.close()
  const heard = await untilHeard(receivers, tasks * HEALTHY)
  const micros = (seconds: number) => (seconds / heard.sends) * 1e6
  return {
    ...heard,
    perS: heard.ids / ((heard.lastMs - fromMs) / 1_000),
    serviceMicros: micros(cpuSeconds(service.child.pid ?? 0) - ofService),
    receiverMicros: micros(cpuSeconds(receivers.pid) - ofReceivers),
  }
}
type Ran = Awaited<ReturnType<typeof run>>

/** Longer than a send may take: what is left is what hangs, and waits for its retry. */
const CALM_MS = 20_000

const measureSends = async () => {
  const receivers = await startReceivers()
  const service = await startService(entry, { OUTBOUND_ALLOW_HOSTS: '127.0.0.1' })
  await register(service, receivers)
  console.error('warm-up …')
  await run(service, receivers, WARM_UP_TASKS, PACED_MS)
  await sleep(CALM_MS)
  const before = residentMb(service.child.pid ?? 0)
  console.error(`${TASKS * ENDPOINTS} deliveries, evenly …`)
  const paced = await run(service, receivers, TASKS, PACED_MS)
  await sleep(CALM_MS)
  const grownMb = residentMb(service.child.pid ?? 0) - before
  console.error(`${TASKS * ENDPOINTS} deliveries, all at once …`)
  const burst = await run(service, receivers, TASKS, 0)
  await service.stop()
  await receivers.stop()
  const measured = (measure: string, unit: string, ours: number, against: number) => ({
    measure,
    unit,
    ours,
    against,
    opponent: 'limit',
  })
  const rows: Row[] = [
    atLeast(1, measured('deliveries to 90 of 100 endpoints, all at once', '/s', burst.perS, LEAST_PER_S)),
    atLeast(1, measured('the same, 540 offered a second', '/s', paced.perS, LEAST_PER_S)),
    atMost(1, measured('of those, event to first send, p99', 'ms', paced.lagP99Ms, MOST_LAG_MS)),
    atMost(1, measured('growth over 10,000 deliveries', 'MB', grownMb, MOST_GROWTH_MB)),
  ]
  return { rows, spent: { 'all at once': burst, evenly: paced } }
}

const spentTable = (spent: Readonly<Record<string, Ran>>): string =>
  columns(
    ['µs of processor time a delivery', 'service', 'receivers', 'lag p50, ms', 'sent twice'],
    Object.entries(spent).map(([name, { serviceMicros, receiverMicros, lagP50Ms, sends, ids }]) => [
      name,
      ...[serviceMicros, receiverMicros, lagP50Ms].map(figure),
      String(sends - ids),
    ]),
    1,
  )

const ROUNDS = 7
const ROUND_TASKS = 5_000
/** Rounds until both have compiled what they run often; they do not count. */
const FIRST_ROUNDS = 3
const QUIET_MS = 1_200

/** Tasks from POST to completed with one registration that gets no events, and without it; the two take turns. */
const measureDeaf = async (): Promise<Row> => {
  const [without, deaf] = [await startService(entry), await startService(entry)]
  await post(deaf, 'webhooks', { url: 'https://deaf.example/', events: ['task.cancelled'] })
  const taken = { ours: [] as number[], against: [] as number[] }
  for (let round = 0; round < ROUNDS + FIRST_ROUNDS; round += 1) {
    console.error(`round ${round + 1} of ${ROUNDS + FIRST_ROUNDS} …`)
    const pair = [
      { system: deaf, into: taken.ours },
      { system: without, into: taken.against },
    ]
    // Who goes first finds the quieter disk.
    for (const { system, into } of round % 2 === 0 ? pair : pair.toReversed()) {
      into.push((await runRound(system, ROUND_TASKS)).tasksPerS)
      await sleep(QUIET_MS)
    }
  }
  await without.stop()
  await deaf.stop()
  const rounds = { ours: taken.ours.slice(FIRST_ROUNDS), against: taken.against.slice(FIRST_ROUNDS) }
  return atLeast(0.95, {
    measure: 'tasks with a webhook that gets none of them',
    unit: '/s',
    opponent: 'none',
    rounds,
    ours: median(rounds.ours),
    against: median(rounds.against),
  })
}

const main = async (): Promise<void> => {
  const only = (flag: string) => process.argv.includes(flag)
  const sends = only('--deaf') ? undefined : await measureSends()
  const rows = [...(sends?.rows ?? []), ...(only('--sends') ? [] : [await measureDeaf()])]
  console.log([table(rows), ...(sends ? [spentTable(sends.spent)] : [])].join('\n\n'))
  process.exit(rows.every(({ pass }) => pass) ? 0 : 1)
}

main().catch((error: Error) => {
  console.error(error.message)
  process.exit(1)
})
