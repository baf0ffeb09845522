import { randomInt } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { until } from '../journeys/api.ts'
import { connect } from '../journeys/client.ts'
import { type Environment, launchService, temporaryFolder } from '../journeys/service.ts'
import { type Fate, openNetwork } from '../runners/network.ts'
import { launchRunner, type RunnerProgram } from '../runners/program.ts'
import { auditOrders } from './agent-audit.ts'
import { ordersDuring } from './agent-customers.ts'
import { type JournalEntry, openJournal } from './agent-journal.ts'
import {
  killAgentAt,
  type Moment,
  planKills,
  runMoments,
  threadIn,
  untilMoment,
  when,
} from './agent-kills.ts'
import { seededRandom, upTo } from './random.ts'
import { processName, reportingAgent } from './reporting-agent.ts'

const KILLS = Number(process.env.RUNNER_KILLS ?? 12)
const SEED = Number(process.env.CRASH_SEED ?? randomInt(2 ** 31))
const RUNNERS = ['north', 'south'] as const
/** A claim is lost when its runner is away for this long. */
const LEASE_MS = 6_000
/** The network is away for less: beyond the lease two runs of a task may be at work. */
const LONGEST_CUT_MS = 2_000
/** All orders end in this time after the last kill. */
const SETTLED_MS = 90_000
const LONGEST_MS = 120_000 + SETTLED_MS + KILLS * 15_000

const request = (did: 'asks for' | 'is answered', what: string, longestMs: number): Moment => ({
  begins: (entry) => entry.did === did && entry.what === what,
  longestMs,
})
const victims = ['service', 'runner', 'agent', 'network'] as const
const moments = {
  claim: { any: request('is answered', 'claims', 400), agent: when('started', 100) },
  ...runMoments,
  outcome: { any: request('asks for', 'outcome', 20), agent: when('hears', 100) },
}
const random = seededRandom(SEED - 2)
const { kills, table } = planKills({ victims, moments }, KILLS, random)

/** The last word of the path of a request about a claim: `claims`, `events`, `outcome`. */
const requestName = (url: string) => url.split('/').at(-1) ?? ''

const openWorld = async () => {
  const folder = temporaryFolder()
  // The agents are another user.
  chmodSync(folder.path, 0o755)
  for (const name of ['outside', ...RUNNERS]) mkdirSync(folder.in(name))
  const socket = folder.in('outside', 'journal.sock')
  const journal = await openJournal(socket)
  let address: string | undefined
  let service: ReturnType<typeof launchService> | undefined

  const startService = async () => {
    const env: Environment = {
      DATA_DIR: folder.in('data'),
      MEMORY_DIR: folder.in('memory'),
      WORKER: 'off',
      TASK_LEASE_MS: String(LEASE_MS),
      // A kill costs an attempt: none of these tasks comes near this.
      QUEUE_RETRY_ATTEMPTS: '100',
      QUEUE_RETRY_BACKOFF_MS: '1',
      QUEUE_RETRY_TYPE: 'fixed',
    }
    service = launchService({ env, mostMs: LONGEST_MS, endsWithParent: true })
    address = await service.ready()
    return address
  }
  const { client } = connect(await startService())

  /** A runner with a network and an agent of its own. */
  const openRunner = async (name: string) => {
    const { token } = await client.createToken({ body: { name, scopes: ['runner'] } })
    const agent = reportingAgent(socket)
    let fates: Fate[] = []
    const network = await openNetwork(() => address, {
      asked: (url) => {
        journal.add({ did: 'asks for', what: requestName(url), runner: name })
        return fates.shift()
      },
      answered: (url, status) => {
        if (status === 200) journal.add({ did: 'is answered', what: requestName(url), runner: name })
      },
    })
    mkdirSync(folder.in(name, 'tmp'))
    const env: Environment = { TMPDIR: folder.in(name, 'tmp'), ...agent.env }
    const launch = () =>
      launchRunner({
        url: network.url,
        token,
        name,
        folder: folder.in(name, 'runner'),
        env,
        args: ['--concurrency', '3'],
        mostMs: LONGEST_MS,
      })
    let running: RunnerProgram = launch()
    return {
      name,
      network,
      agent,
      /** The next requests fail. */
      fail: (next: readonly Fate[]) => {
        fates = [...next]
      },
      kill9: () => running.kill9(),
      start: () => {
        running = launch()
      },
      stop: () => running.stop(),
      output: () => running.output(),
      outcomes: () => readdirSync(folder.in(name, 'runner', 'state', 'outcomes')),
      temporaryFiles: () => readdirSync(folder.in(name, 'tmp')),
      processesLeft: async () =>
        (await agent.processesLeft()).map((found) => `${name}: ${processName(found)}`),
    }
  }
  const runners = await Promise.all(RUNNERS.map(openRunner))
  await until(async () => ((await client.listRunners()).runners.length === RUNNERS.length ? true : undefined))

  return {
    journal,
    runners,
    address: () => address,
    restartService: async () => {
      address = undefined
      await service?.kill9()
      await startService()
    },
    async [Symbol.asyncDispose]() {
      for (const runner of runners) {
        await runner.kill9()
        runner.agent[Symbol.dispose]()
        await runner.network[Symbol.asyncDispose]()
      }
      await service?.kill9()
      journal[Symbol.dispose]()
      folder[Symbol.dispose]()
    },
  }
}
type World = Awaited<ReturnType<typeof openWorld>>
type Runner = World['runners'][number]

/** The runner that an entry is about, or any. */
const runnerOf = ({ runners }: World, entry: JournalEntry | undefined): Runner => {
  const named = entry && 'runner' in entry ? entry.runner : undefined
  const found = runners.find(
    ({ name, agent }) => name === named || agent.inThread(threadIn(entry)) !== undefined,
  )
  return found ?? (runners[upTo(runners.length - 1, random)] as Runner)
}

const FATES = ['unsent', 'unanswered', 'unanswered'] as const

/** The network of a runner is cut or delayed for a while, or some of the next requests fail before or after they take effect. */
const breakNetwork = async ({ network, fail }: Runner) => {
  const kind = upTo(2, random)
  if (kind === 2)
    return fail(Array.from({ length: 1 + upTo(3, random) }, () => FATES[upTo(2, random)] as Fate))
  if (kind === 0) network.cut()
  else network.hold()
  await sleep(upTo(LONGEST_CUT_MS, random))
  network.mend()
}

const killThrough = async (world: World): Promise<string[]> => {
  const { journal, runners } = world
  const agents = runners.map(({ agent }) => agent)
  const left: string[] = []
  for (const { victim, moment } of kills) {
    if (victim === 'agent') {
      await killAgentAt(moments[moment].agent, { agents, journal, random })
      continue
    }
    const runner = runnerOf(world, await untilMoment(journal, moments[moment].any, random))
    if (victim === 'service') await world.restartService()
    if (victim === 'network') await breakNetwork(runner)
    if (victim === 'runner') {
      await runner.kill9()
      left.push(...(await runner.processesLeft()).map((one) => `after a kill at ${moment}: ${one}`))
      runner.start()
    }
  }
  return left
}

// Repeat a run with the same kills: RUNNER_KILLS=<kills> CRASH_SEED=<seed> npm run test:full -- test/crash/runner-kill
describe(`runners, their agents, service and network, that are killed ${KILLS} times, CRASH_SEED=${SEED}`, () => {
  it(
    'lose nothing, record nothing twice, leave no process and no outcome, and take no permission that no person gave',
    async () => {
      await using world = await openWorld()
      const { journal, runners, address } = world
      const about = { journal, address, seed: SEED, settledMs: SETTLED_MS }
      const { orders, result: left } = await ordersDuring(about, () => killThrough(world))

      const audit = await auditOrders(connect(address() ?? ''), orders, journal.entries)
      const outcomes = runners.flatMap((runner) => runner.outcomes())
      const ends = await Promise.all(runners.map((runner) => runner.stop()))
      for (const runner of runners) left.push(...(await runner.processesLeft()))
      process.stderr.write(`CRASH_SEED=${SEED}: ${KILLS} kills, ${audit.summary}\n${table}\n`)
      expect(audit.found).toEqual({ lost: [], twice: [], unseen: [], other: [] })
      expect({ left, outcomes, files: runners.flatMap((runner) => runner.temporaryFiles()) }).toEqual({
        left: [],
        outcomes: [],
        files: [],
      })
      expect(ends).toMatchObject(RUNNERS.map(() => ({ code: 0 })))
      expect(audit.approvals).toBeGreaterThan(0)
    },
    LONGEST_MS,
  )
})
