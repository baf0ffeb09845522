import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createClient } from '../../../lib/api/client.ts'
import { routes } from '../../../lib/api/routes.ts'
import { discard, end, scratch, start } from '../children.ts'
import { repository } from '../paths.ts'
import { cpuSeconds } from '../process-figures.ts'
import { median, quantile } from '../quantile.ts'
import { atLeast, atMost, type Row } from '../row.ts'
import { startService } from '../service.ts'
import { machineMs } from '../starts.ts'
import { plainEnv, type System } from '../system.ts'
import { table } from '../table.ts'

/**
 * What runners cost a service that runs nothing itself: `npm run bench:runner`. The runners are programs of their own on
 * the same machine; those that only wait are polls of this process. `--only start,wait,events,claims` names parts.
 */
const PARTS = ['start', 'wait', 'events', 'claims'] as const
type Part = (typeof PARTS)[number]

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: PARTS.join(',') },
    starts: { type: 'string', default: '200' },
    waiting: { type: 'string', default: '50' },
    tasks: { type: 'string', default: '5000' },
    runners: { type: 'string', default: '4' },
  },
})

const adapter = join(import.meta.dirname, 'adapter.ts')
const POLL_S = 25
const WAIT_S = 30
const EVENTS_PER_S = 50
const EVENTS_S = 10

const connect = ({ port }: System, token?: string) =>
  createClient(routes, {
    baseUrl: `http://127.0.0.1:${port}`,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  })

const makeToken = async (service: System): Promise<string> =>
  (await connect(service).createToken({ body: { name: 'bench', scopes: ['runner'] } })).token

const openService = () =>
  startService(join(repository, 'bin/start.js'), { WORKER: 'off', AGENT_ADAPTERS: adapter })

/** A runner as a program, registered. */
const startRunner = async (service: System, name: string, concurrency: number) => {
  const folder = scratch('runner')
  const log = openSync(join(folder, 'log'), 'w')
  const child = start(process.execPath, [join(repository, 'bin/agent-tasks.js'), 'runner'], {
    cwd: repository,
    stdio: ['ignore', log, log],
    env: {
      ...plainEnv(),
      AGENT_TASKS_URL: `http://127.0.0.1:${service.port}`,
      RUNNER_TOKEN: await makeToken(service),
      RUNNER_NAME: name,
      RUNNER_CONCURRENCY: String(concurrency),
      RUNNER_DIR: join(folder, 'run'),
      MEMORY_DIR: join(folder, 'memory'),
      AGENT_ADAPTERS: adapter,
      DEFAULT_AGENT: 'noop',
    },
  })
  closeSync(log)
  const { listRunners } = connect(service)
  for (;;) {
    const { runners } = await listRunners()
    if (runners.some((runner) => runner.name === name)) break
    if (child.exitCode !== null) throw new Error('The runner ended before it was registered')
    await sleep(50)
  }
  return async () => {
    await end(child)
    discard(folder)
  }
}

const TASK = { title: 'Bench', assignedAgent: 'noop' }

/** From the request that creates a task, one after the other, to the begin of its agent on the runner. */
const measureStarts = async (most: number): Promise<Row[]> => {
  const service = await openService()
  const stop = await startRunner(service, 'one', 2)
  const { createTask, getTask } = connect(service)
  const taken: number[] = []
  for (let number = 0; number < most + 10; number += 1) {
    const askedMs = machineMs()
    const { task } = await createTask({ body: TASK })
    for (;;) {
      const { status, result } = (await getTask({ params: { id: task.id } })).task
      if (status === 'completed') {
        if (number >= 10) taken.push(Number(result?.output) - askedMs)
        break
      }
      await sleep(2)
    }
  }
  await stop()
  await service.stop()
  const row = (q: number, limit: number) =>
    atMost(1, {
      measure: `asked → started on a runner, p${q * 100}`,
      unit: 'ms',
      ours: quantile(taken, q),
      against: limit,
      opponent: 'limit',
    })
  return [row(0.5, 50)]
}

/** Polls without a task. */
const measureWaiting = async (most: number): Promise<Row[]> => {
  const service = await openService()
  let polls = 0
  const ended = new AbortController()
  const waiting = Array.from({ length: most }, async (_, number) => {
    const client = connect(service, await makeToken(service))
    const body = { name: `waits-${number}`, version: '1', agents: ['noop'], concurrency: 1 }
    const { runner } = await client.registerRunner({ body })
    while (!ended.signal.aborted) {
      polls += 1
      await client.claimTask
        .raw({ params: { id: runner.id }, body: { waitMs: POLL_S * 1_000 } }, { signal: ended.signal })
        .catch((thrown) => {
          if (!ended.signal.aborted) throw thrown
        })
    }
  })
  await sleep(5_000)
  const [cpuFrom, pollsFrom] = [cpuSeconds(service.child.pid ?? 0), polls]
  await sleep(WAIT_S * 1_000)
  const share = ((cpuSeconds(service.child.pid ?? 0) - cpuFrom) / WAIT_S) * 100
  const perRunner = (polls - pollsFrom) / most / (WAIT_S / POLL_S)
  ended.abort()
  await Promise.all(waiting)
  await service.stop()
  const of = { opponent: 'limit' }
  return [
    atMost(1, { measure: `${most} waiting runners, of a core`, unit: '%', ours: share, against: 2, ...of }),
    atMost(1, { measure: `requests of each in ${POLL_S} s`, unit: '', ours: perRunner, against: 1, ...of }),
  ]
}

/** From an event of the agent to its reader at the service. */
const measureEvents = async (): Promise<Row[]> => {
  const service = await openService()
  const stop = await startRunner(service, 'one', 2)
  const client = connect(service)
  const prompt = JSON.stringify({ events: EVENTS_PER_S * EVENTS_S, perS: EVENTS_PER_S })
  const { task } = await client.createTask({ body: { ...TASK, prompt } })
  const params = { id: `sess_${task.id.replace('task_', '')}` }
  let stream: Response | undefined
  while (stream === undefined) {
    stream = await client.followAgentSession.raw({ params }).catch(() => undefined)
    if (stream === undefined) await sleep(20)
  }
  const lags: number[] = []
  let rest = ''
  const decoder = new TextDecoder()
  for await (const piece of stream.body as unknown as AsyncIterable<Uint8Array>) {
    const seenMs = machineMs()
    rest += decoder.decode(piece, { stream: true })
    const upTo = rest.lastIndexOf('\n\n') + 2
    const whole = rest.slice(0, upTo)
    rest = rest.slice(upTo)
    for (const [, sent] of whole.matchAll(/sent ([\d.]+);/g)) lags.push(seenMs - Number(sent))
    if (/"type":"(?:complete|error)"/.test(whole)) break
  }
  await stop()
  await service.stop()
  const missing = EVENTS_PER_S * EVENTS_S - lags.length
  if (missing !== 0) throw new Error(`${missing} events were not seen`)
  const of = { unit: 'ms', against: 1_000, opponent: 'limit' }
  return [
    atMost(1, { measure: `${EVENTS_PER_S} events/s, sent → seen, p50`, ours: median(lags), ...of }),
    atMost(1, { measure: `${EVENTS_PER_S} events/s, sent → seen, p99`, ours: quantile(lags, 0.99), ...of }),
  ]
}

/** Tasks that wait when the runners come. */
const measureClaims = async (most: number, runners: number): Promise<Row[]> => {
  const service = await openService()
  const client = connect(service)
  const AT_ONCE = 50
  for (let made = 0; made < most; made += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, () => client.createTask({ body: TASK })))
  const completed = async () => (await client.queueStatus()).queues.tasks.completed
  const stops = await Promise.all(
    Array.from({ length: runners }, (_, number) => startRunner(service, `runner-${number}`, 20)),
  )
  // The first tenth does not count: runners begin one after the other.
  const first = most / 10
  while ((await completed()) < first) await sleep(20)
  const [fromMs, from] = [machineMs(), await completed()]
  while ((await completed()) < most) await sleep(20)
  const perS = (most - from) / ((machineMs() - fromMs) / 1_000)
  await Promise.all(stops.map((stop) => stop()))
  await service.stop()
  const of = { unit: '/s', against: 1_000, opponent: 'limit' }
  return [atLeast(1, { measure: `tasks of ${runners} runners`, ours: perS, ...of })]
}

const parts: Readonly<Record<Part, () => Promise<Row[]>>> = {
  start: () => measureStarts(Number(values.starts)),
  wait: () => measureWaiting(Number(values.waiting)),
  events: measureEvents,
  claims: () => measureClaims(Number(values.tasks), Number(values.runners)),
}

const main = async () => {
  const rows: Row[] = []
  for (const part of PARTS) if (values.only.split(',').includes(part)) rows.push(...(await parts[part]()))
  console.log(table(rows))
  process.exit(rows.every(({ pass }) => pass) ? 0 : 1)
}

main().catch((error: Error) => {
  console.error(error.message)
  process.exit(1)
})
