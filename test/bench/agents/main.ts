import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { discard, firstLine, scratch, startBeside, startPiped } from '../children.ts'
import { columns, figure } from '../cloud/columns.ts'
import { repository } from '../paths.ts'
import {
  cpuSeconds,
  machineCpuSeconds,
  processesBelow,
  proportionalMb,
  residentMb,
} from '../process-figures.ts'
import { median, quantile } from '../quantile.ts'
import { atLeast, atMost, type Row } from '../row.ts'
import { startService } from '../service.ts'
import { machineMs } from '../starts.ts'
import type { System } from '../system.ts'
import { table } from '../table.ts'
import type { CallOrder, Measured } from './order.ts'
import { agentFile, lagListener, type Run, runBare, runTask } from './run.ts'

/**
 * What the service adds to agents that are programs: `npm run bench:agents`. A scripted agent runs by itself and as a task of
 * a started service, in its sandbox; its model is a server on loopback, called directly and through the broker. All share
 * one machine. `--only run,many,broker` names parts, `--pairs`, `--agents` and `--calls` say how much.
 */
const here = import.meta.dirname
const entry = join(repository, 'bin/start.js')

const PARTS = ['run', 'many', 'broker'] as const
type Part = (typeof PARTS)[number]

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: PARTS.join(',') },
    pairs: { type: 'string', default: '20' },
    agents: { type: 'string', default: '50' },
    calls: { type: 'string', default: '1000' },
  },
})
const only = values.only.split(',')

const UPDATES_PER_S = 10
const MANY_SECONDS = 10
const MOST_ADDED_MS = 2
const LEAST_MB_PER_S = 500
const STREAMS = 15
const LARGE = 5
const MEGABYTES = 200
/** Of many agents that begin, their sessions are looked for less often. */
const MANY_LOOK_MS = 250

const startWithAgent = (provider: string, reads: readonly string[], settings: NodeJS.ProcessEnv = {}) =>
  startService(entry, {
    ACP_AGENTS: JSON.stringify([
      {
        type: 'bench-agent',
        command: process.execPath,
        args: [agentFile],
        reads: [...['test', 'node_modules', 'package.json'].map((name) => join(repository, name)), ...reads],
        provider: 'anthropic',
      },
    ]),
    ANTHROPIC_API_KEY: 'sk-bench-0123456789',
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${provider}`,
    ...settings,
  })

/** Of a run, in milliseconds from its moments. */
const spans: Readonly<Record<string, (run: Run) => number>> = {
  'asked → process started': ({ askedMs, startedMs }) => startedMs - askedMs,
  '→ initialized': ({ startedMs, initializedMs }) => initializedMs - startedMs,
  '→ prompted': ({ initializedMs, promptedMs }) => promptedMs - initializedMs,
  '→ first update seen': ({ promptedMs, firstSeenMs }) => firstSeenMs - promptedMs,
  'of that, sent → seen': ({ firstSentMs, firstSeenMs }) => firstSeenMs - firstSentMs,
  '→ end seen': ({ firstSeenMs, endedMs }) => endedMs - firstSeenMs,
  'asked → initialized': ({ askedMs, initializedMs }) => initializedMs - askedMs,
  'asked → first update seen': ({ askedMs, firstSeenMs }) => firstSeenMs - askedMs,
  'asked → end seen': ({ askedMs, endedMs }) => endedMs - askedMs,
}

/** One run after the other; the two take turns, the first of each does not count. */
const measureRuns = async (provider: string, pairs: number): Promise<string> => {
  const service = await startWithAgent(provider, [])
  const taken = { bare: [] as Run[], task: [] as Run[] }
  for (let pair = 0; pair <= pairs; pair += 1) {
    const bare = await runBare({})
    const task = await runTask(service.port, {})
    if (pair === 0) continue
    taken.bare.push(bare)
    taken.task.push(task)
  }
  await service.stop()
  const at = (runs: readonly Run[], span: (run: Run) => number, q: number) => quantile(runs.map(span), q)
  return columns(
    ['one run, ms', 'bare p50', 'task p50', 'added', 'bare p99', 'task p99'],
    Object.entries(spans).map(([name, span]) => {
      const [bare, task] = [at(taken.bare, span, 0.5), at(taken.task, span, 0.5)]
      const p99 = [at(taken.bare, span, 0.99), at(taken.task, span, 0.99)]
      return [name, ...[bare, task, task - bare, ...p99].map(figure)]
    }),
    1,
  )
}

type Begin = (
  file: string,
  onLag: (sentMs: number, seenMs: number) => void,
  onFirst: () => void,
) => Promise<unknown>

/** So many agents begin, wait until all have begun, and then send updates; those of the time in which all do count. */
const runMany = async (agents: number, folder: string, begin: Begin, whenWaiting: () => Promise<void>) => {
  const file = join(folder, `go-${machineMs()}`)
  const lags: { sentMs: number; lagMs: number }[] = []
  const firsts: Promise<void>[] = []
  const fromMs = machineMs()
  const runs = Array.from({ length: agents }, () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    firsts.push(promise)
    return begin(file, (sentMs, seenMs) => lags.push({ sentMs, lagMs: seenMs - sentMs }), resolve)
  })
  const all = Promise.all(runs)
  await Promise.race([Promise.all(firsts), all])
  const begunS = (machineMs() - fromMs) / 1_000
  await whenWaiting()
  const goMs = machineMs()
  writeFileSync(file, '')
  const cpuFrom = machineCpuSeconds()
  await sleep(MANY_SECONDS * 1_000)
  const machineCpu = machineCpuSeconds() - cpuFrom
  const seconds = (machineMs() - goMs) / 1_000
  await all
  // The first and the last second have agents that do not send yet, or no longer.
  const counted = lags
    .filter(({ sentMs }) => sentMs > goMs + 1_000 && sentMs < goMs + (MANY_SECONDS - 1) * 1_000)
    .map(({ lagMs }) => lagMs)
  return {
    begunS,
    lags: counted,
    perS: counted.length / (MANY_SECONDS - 2),
    machineCores: machineCpu / seconds,
  }
}

const order = (file: string) => ({
  file,
  updates: UPDATES_PER_S * MANY_SECONDS,
  everyMs: 1_000 / UPDATES_PER_S,
})

const isAgent = (command: string) => command.startsWith(`${process.execPath} ${agentFile}`)
const isBridge = (command: string) => command.startsWith(`${process.execPath} --eval`)

const CALM_MS = 3_000

const measureMany = async (provider: string, agents: number): Promise<string[]> => {
  const folder = scratch('go')
  // In the sandbox the agent is another user.
  chmodSync(folder, 0o755)
  const listen = (onLag: (sentMs: number, seenMs: number) => void, onFirst: () => void) => {
    const onText = lagListener(onLag)
    return (text: string, seenMs: number) => {
      onFirst()
      onText(text, seenMs)
    }
  }
  const bare = await runMany(
    agents,
    folder,
    (file, onLag, onFirst) => runBare(order(file), listen(onLag, onFirst)),
    () => sleep(CALM_MS),
  )

  const service = await startWithAgent(provider, [folder], {
    QUEUE_CONCURRENCY: String(agents),
    POOL_MAX_CONCURRENT: String(agents),
    USER_MAX_STREAMS: String(agents),
  })
  const pid = service.child.pid ?? 0
  const asTask: Begin = (file, onLag, onFirst) =>
    runTask(service.port, order(file), { listen: listen(onLag, onFirst), lookMs: MANY_LOOK_MS })
  await runTask(service.port, {})
  await sleep(CALM_MS)
  const idleMb = residentMb(pid)
  let waitingMb = 0
  let aroundMb = 0
  let cpuFrom = 0
  const task = await runMany(agents, folder, asTask, async () => {
    await sleep(CALM_MS)
    waitingMb = residentMb(pid)
    aroundMb = processesBelow(pid)
      .filter(({ command }) => !isAgent(command))
      .reduce((sum, one) => sum + (proportionalMb(one.pid) ?? 0), 0)
    cpuFrom = cpuSeconds(pid)
  })
  const serviceCpu = cpuSeconds(pid) - cpuFrom
  await sleep(CALM_MS)
  const afterMb = residentMb(pid)
  await service.stop()
  discard(folder)
  return [
    columns(
      [`${agents} agents at once, ${UPDATES_PER_S} updates/s each`, 'bare', 'tasks'],
      [
        ['until all have begun, s', figure(bare.begunS), figure(task.begunS)],
        ['updates seen, /s', figure(bare.perS), figure(task.perS)],
        ['lag from sent to seen, p50, ms', figure(median(bare.lags)), figure(median(task.lags))],
        [
          'lag from sent to seen, p99, ms',
          figure(quantile(bare.lags, 0.99)),
          figure(quantile(task.lags, 0.99)),
        ],
        ['cores of the machine in use', bare.machineCores.toFixed(2), task.machineCores.toFixed(2)],
        ['processor time of the service and the end of its runs, s', '', serviceCpu.toFixed(2)],
      ],
      1,
    ),
    columns(
      ['memory, MB', 'in all', 'an agent'],
      [
        ['service, idle after one run', figure(idleMb), ''],
        [`service, ${agents} agents wait`, figure(waitingMb), ((waitingMb - idleMb) / agents).toFixed(2)],
        ['around the agents: sandbox and bridge', figure(aroundMb), figure(aroundMb / agents)],
        ['service, all have ended', figure(afterMb), ((afterMb - idleMb) / agents).toFixed(2)],
      ],
      1,
    ),
  ]
}

/** The agent's last words have what it measured. */
const callBroker = async ({ port }: System, calls: CallOrder, onFirst: () => void): Promise<Measured> => {
  let said = ''
  const listen = (text: string) => {
    if (said === '') onFirst()
    said += text
  }
  await runTask(port, { calls }, { listen })
  return JSON.parse(/measured (\{[^}]*\});/.exec(said)?.[1] ?? '')
}

/** Calls that are made directly and through the broker in turns, and the processor time of those in between. */
const compareCalls = async (provider: string, service: System, calls: CallOrder) => {
  const url = `http://127.0.0.1:${provider}`
  const pid = service.child.pid ?? 0
  const spent = { from: 0, bridge: 0 }
  const begun = Promise.withResolvers<void>()
  const through = callBroker(service, calls, begun.resolve)
  await begun.promise
  spent.from = cpuSeconds(pid)
  const bridge = processesBelow(pid).find(({ command }) => isBridge(command))
  const direct: Measured = JSON.parse(
    await firstLine(startPiped(join(here, 'direct-caller.ts'), url, JSON.stringify(calls))),
  )
  const bridgeS = bridge ? cpuSeconds(bridge.pid) : Number.NaN
  const broker = await through
  return { broker, direct, serviceS: cpuSeconds(pid) - spent.from, bridgeS }
}

const milliseconds = (value: number) => value.toFixed(2)

const measureBroker = async (provider: string, times: number): Promise<{ texts: string[]; rows: Row[] }> => {
  const service = await startWithAgent(provider, [])
  const large = { times: LARGE, megabytes: MEGABYTES }
  const short = await compareCalls(provider, service, { kind: 'short', times })
  const stream = await compareCalls(provider, service, { kind: 'stream', times: STREAMS })
  const json = await compareCalls(provider, service, { kind: 'json', ...large })
  const events = await compareCalls(provider, service, { kind: 'events', ...large })
  await service.stop()

  const latency = columns(
    ['calls of a model, ms', 'direct p50', 'broker p50', 'direct p99', 'broker p99'],
    Object.entries({ 'to the first byte': short, 'event from sent to seen': stream }).map(
      ([name, { direct, broker }]) => [
        name,
        ...[direct.p50, broker.p50, direct.p99, broker.p99].map(milliseconds),
      ],
    ),
    1,
  )
  const perGb = (seconds: number) => seconds / ((LARGE * MEGABYTES) / 1_000)
  const throughput = columns(
    ['a large answer', 'direct, MB/s', 'broker, MB/s', 'service, s of processor/GB', 'bridge, s/GB'],
    Object.entries({ 'whole, JSON': json, 'events with usage': events }).map(
      ([name, { direct, broker, serviceS, bridgeS }]) => [
        name,
        ...[direct.p50, broker.p50].map(figure),
        ...[serviceS, bridgeS].map((seconds) => perGb(seconds).toFixed(2)),
      ],
    ),
    1,
  )
  const limit = { opponent: 'limit' }
  const added = { measure: 'broker: added to the first byte', unit: 'ms', ...limit, against: MOST_ADDED_MS }
  const through = { unit: 'MB/s', ...limit, against: LEAST_MB_PER_S }
  const rows = [
    atMost(1, { ...added, measure: `${added.measure}, p50`, ours: short.broker.p50 - short.direct.p50 }),
    atMost(1, { ...added, measure: `${added.measure}, p99`, ours: short.broker.p99 - short.direct.p99 }),
    atLeast(1, { ...through, measure: 'broker: a large answer', ours: json.broker.p50 }),
    atLeast(1, { ...through, measure: 'broker: a large stream', ours: events.broker.p50 }),
  ]
  return { texts: [latency, throughput], rows }
}

const main = async (): Promise<void> => {
  const provider = await startBeside(join(here, 'provider.ts'))
  const isWanted = (part: Part) => only.includes(part)
  const texts: string[] = []
  if (isWanted('run')) {
    console.error('one run after the other …')
    texts.push(await measureRuns(provider.port, Number(values.pairs)))
  }
  if (isWanted('many')) {
    console.error(`${values.agents} agents at once …`)
    texts.push(...(await measureMany(provider.port, Number(values.agents))))
  }
  const rows: Row[] = []
  if (isWanted('broker')) {
    console.error('calls of models …')
    const broker = await measureBroker(provider.port, Number(values.calls))
    texts.push(...broker.texts)
    rows.push(...broker.rows)
  }
  await provider.stop()
  if (rows.length > 0) texts.push(table(rows))
  console.log(texts.join('\n\n'))
  process.exit(rows.every(({ pass }) => pass) ? 0 : 1)
}

main().catch((error: Error) => {
  console.error(error.message)
  process.exit(1)
})
