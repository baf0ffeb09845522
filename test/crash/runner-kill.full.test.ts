import { randomInt, randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync } from 'node:fs'
import * as path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { until } from '../journeys/api.ts'
import { connect } from '../journeys/client.ts'
import {
  type Environment,
  fixtureReads,
  launchService,
  root,
  serviceNode,
  temporaryFolder,
} from '../journeys/service.ts'
import { type Fate, openNetwork } from '../runners/network.ts'
import { launchRunner, type RunnerProgram } from '../runners/program.ts'
import { auditOrders } from './agent-audit.ts'
import { decideApprovals, placeOrders } from './agent-customers.ts'
import { type JournalEntry, openJournal } from './agent-journal.ts'
import { settled } from './insist.ts'
import { markedProcesses } from './marked-processes.ts'
import { seededRandom, upTo } from './random.ts'

const KILLS = Number(process.env.RUNNER_KILLS ?? 12)
const SEED = Number(process.env.CRASH_SEED ?? randomInt(2 ** 31))
const RUNNERS = ['north', 'south'] as const
const CUSTOMERS = 4
/** A claim is lost when its runner is away for this long. */
const LEASE_MS = 6_000
/** The network is away for less: beyond the lease two runs of a task may be at work. */
const LONGEST_CUT_MS = 2_000
/** A moment that does not come in this time is missed, and the next one is waited for. */
const MOMENT_MS = 20_000
/** All orders end in this time after the last kill. */
const SETTLED_MS = 90_000
const LONGEST_MS = 120_000 + SETTLED_MS + KILLS * 15_000
/** Processes of a dead runner or agent end at once; a busy machine needs some time to do so. */
const GONE_MS = 10_000
const program = path.join(root, 'test/fixtures/acp/reporting.ts')

const victims = ['service', 'runner', 'agent', 'network'] as const
type Victim = (typeof victims)[number]
/** What begins a moment of a run, and the longest time after it that a kill may come. */
type Moment = { begins: (entry: JournalEntry) => boolean; longestMs: number }

const isFollowUp = (entry: JournalEntry) =>
  entry.did === 'prompted' && (entry.acts ?? []).some((id) => !/^[^.]+\.0\./.test(id))
const when = (did: JournalEntry['did'], longestMs: number): Moment => ({
  begins: (entry) => entry.did === did,
  longestMs,
})
const asksFor = (wanted: string, longestMs: number): Moment => ({
  begins: (entry) => entry.did === 'asks for' && entry.what === wanted,
  longestMs,
})
const isClaimed: Moment = {
  begins: (entry) => entry.did === 'is answered' && entry.what === 'claims',
  longestMs: 400,
}
/** The moments of a kill; those of a kill of an agent, which must be there for it, are other ones. */
const moments = {
  claim: { of: isClaimed, ofAgent: when('started', 100) },
  prompt: { of: when('prompted', 300), ofAgent: when('prompted', 200) },
  permission: { of: when('asks', 500), ofAgent: when('asks', 400) },
  result: { of: when('ends', 200), ofAgent: when('ends', 3) },
  outcome: { of: asksFor('outcome', 20), ofAgent: when('hears', 100) },
  'follow-up': { of: when('replies', 300), ofAgent: { begins: isFollowUp, longestMs: 200 } },
} as const satisfies Record<string, { of: Moment; ofAgent: Moment }>
type MomentName = keyof typeof moments
type Kill = { victim: Victim; moment: MomentName }
const momentNames = Object.keys(moments) as MomentName[]

/** Every kind of kill equally often, in random order. */
const planKills = (random: () => number): Kill[] => {
  const every = victims.flatMap((victim) => momentNames.map((moment) => ({ victim, moment })))
  const shuffled = () =>
    every
      .map((kill) => ({ kill, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ kill }) => kill)
  return Array.from({ length: Math.ceil(KILLS / every.length) }, shuffled)
    .flat()
    .slice(0, KILLS)
}

/** The last word of the path of a request about a claim: `claims`, `events`, `outcome`. */
const requestName = (url: string) => url.split('/').at(-1) ?? ''

const openWorld = async () => {
  const folder = temporaryFolder()
  // The agents are another user.
  chmodSync(folder.path, 0o755)
  for (const name of ['outside', ...RUNNERS]) mkdirSync(folder.in(name))
  const journal = await openJournal(folder.in('outside', 'journal.sock'))
  const mark = randomUUID()
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

  /** A runner with a network of its own, and what is left of its agents. */
  const openRunner = async (name: string) => {
    const { token } = await client.createToken({ body: { name, scopes: ['runner'] } })
    const marked = `REPORTING_MARK=${mark}-${name}`
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
    const reporting = {
      type: 'reporting',
      command: serviceNode,
      args: [program, folder.in('outside', 'journal.sock')],
      env: { REPORTING_MARK: `${mark}-${name}` },
      reads: [...fixtureReads, folder.in('outside')],
      // With a provider the broker stands beside each run.
      provider: 'anthropic',
    }
    const env: Environment = {
      TMPDIR: folder.in(name, 'tmp'),
      ACP_AGENTS: JSON.stringify([reporting]),
      AGENT_SANDBOX: 'require',
      AGENT_NETWORK: 'on',
      ANTHROPIC_API_KEY: 'sk-operator-0123456789',
    }
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
    const processes = () => markedProcesses(marked)
    return {
      name,
      network,
      processes,
      /** The next requests fail. */
      fail: (next: readonly Fate[]) => {
        fates = [...next]
      },
      /** The program of an agent that runs in the workspace of a thread. */
      agentOf: (thread: string) =>
        processes().find(({ words, folder: at }) => words[1] === program && at.includes(thread)),
      kill9: () => running.kill9(),
      start: () => {
        running = launch()
      },
      stop: () => running.stop(),
      output: () => running.output(),
      outcomes: () => readdirSync(folder.in(name, 'runner', 'state', 'outcomes')),
      temporaryFiles: () => readdirSync(folder.in(name, 'tmp')),
      /** The processes that are still there after the time that they have to end. */
      processesLeft: () =>
        settled(
          GONE_MS,
          async () => processes().map(({ pid, words }) => `${name}: ${pid} ${words.join(' ').slice(0, 100)}`),
          ({ length }) => length === 0,
        ),
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
        for (const { pid } of runner.processes()) process.kill(pid, 'SIGKILL')
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

/** Waits for a moment, and for a random time after it. Resolves to the entry with which it came. */
const untilMoment = async ({ journal }: World, { begins, longestMs }: Moment, random: () => number) => {
  const entry = await journal.next(begins, MOMENT_MS)
  await sleep(upTo(longestMs, random))
  return entry
}

/** The runner that an entry is about, or any. */
const runnerOf = ({ runners }: World, entry: JournalEntry | undefined, random: () => number): Runner => {
  const thread = entry && 'thread' in entry ? entry.thread : undefined
  const named = entry && 'runner' in entry ? entry.runner : undefined
  const found = runners.find(
    ({ name, agentOf }) => name === named || (thread !== undefined && agentOf(thread) !== undefined),
  )
  return found ?? (runners[upTo(runners.length - 1, random)] as Runner)
}

/** Whether the agent of a thread was there to be killed. */
const killAgent = ({ runners }: World, entry: JournalEntry | undefined): boolean => {
  const thread = entry && 'thread' in entry ? entry.thread : ''
  const agent = runners.map(({ agentOf }) => agentOf(thread)).find((found) => found !== undefined)
  try {
    return agent !== undefined && process.kill(agent.pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
    return false
  }
}

const FATES = ['unsent', 'unanswered', 'unanswered'] as const

/** The network of a runner is cut or delayed for a while, or some of the next requests fail before or after they take effect. */
const breakNetwork = async ({ network, fail }: Runner, random: () => number) => {
  const kind = upTo(2, random)
  if (kind === 2)
    return fail(Array.from({ length: 1 + upTo(3, random) }, () => FATES[upTo(2, random)] as Fate))
  if (kind === 0) network.cut()
  else network.hold()
  await sleep(upTo(LONGEST_CUT_MS, random))
  network.mend()
}

const killThrough = async (world: World, random: () => number): Promise<string[]> => {
  const left: string[] = []
  for (const { victim, moment } of planKills(random)) {
    const { of, ofAgent } = moments[moment]
    if (victim === 'agent') {
      while (!killAgent(world, await untilMoment(world, ofAgent, random)));
      continue
    }
    const entry = await untilMoment(world, of, random)
    const runner = runnerOf(world, entry, random)
    if (victim === 'service') await world.restartService()
    if (victim === 'network') await breakNetwork(runner, random)
    if (victim === 'runner') {
      await runner.kill9()
      left.push(...(await runner.processesLeft()).map((one) => `after a kill at ${moment}: ${one}`))
      runner.start()
    }
  }
  return left
}

/** The number of kills of each kind, as a table. */
const killTable = (kills: readonly Kill[]): string => {
  const number = (victim: Victim, moment: MomentName) =>
    kills.filter((kill) => kill.victim === victim && kill.moment === moment).length
  const rows = victims.map((victim) => [victim, ...momentNames.map((moment) => number(victim, moment))])
  const lines = [['', ...momentNames], ...rows]
  return lines.map((cells) => cells.map((cell) => String(cell).padEnd(11)).join('')).join('\n')
}

// Repeat a run with the same kills: RUNNER_KILLS=<kills> CRASH_SEED=<seed> npm run test:full -- test/crash/runner-kill
describe(`runners, their agents, service and network, that are killed ${KILLS} times, CRASH_SEED=${SEED}`, () => {
  it(
    'lose nothing, record nothing twice, leave no process and no outcome, and take no permission that no person gave',
    async () => {
      await using world = await openWorld()
      const { journal, runners, address } = world
      let lastKillAt = Number.POSITIVE_INFINITY
      let isDone = false
      const isOver = () => performance.now() > lastKillAt
      const isLate = () => performance.now() > lastKillAt + SETTLED_MS
      const shared = { journal, address }
      const customers = Array.from({ length: CUSTOMERS }, (_, n) =>
        placeOrders(`order-${n}`, { ...shared, isOver, isLate, random: seededRandom(SEED + n) }),
      )
      const accepted = Promise.all(customers)
      accepted.catch(() => undefined)
      const operator = decideApprovals({ ...shared, isOver: () => isDone, random: seededRandom(SEED - 1) })
      const left = await killThrough(world, seededRandom(SEED - 2)).finally(() => {
        lastKillAt = performance.now()
      })
      const orders = (await accepted).flat()
      isDone = true
      await operator

      const { tasks, ...found } = await auditOrders(connect(address() ?? ''), orders, journal.entries)
      const outcomes = runners.flatMap((runner) => runner.outcomes())
      const ends = await Promise.all(runners.map((runner) => runner.stop()))
      for (const runner of runners) left.push(...(await runner.processesLeft()))
      const approvals = journal.entries.filter(({ did }) => did === 'sees').length
      process.stderr.write(
        [
          `CRASH_SEED=${SEED}: ${KILLS} kills, ${orders.length} threads of ${tasks} tasks, ${approvals} approvals`,
          killTable(planKills(seededRandom(SEED - 2))),
          `lost ${found.lost.length}, twice ${found.twice.length}, unseen ${found.unseen.length}, processes left ${left.length}\n`,
        ].join('\n'),
      )
      expect(found).toEqual({ lost: [], twice: [], unseen: [], other: [] })
      expect({ left, outcomes, files: runners.flatMap((runner) => runner.temporaryFiles()) }).toEqual({
        left: [],
        outcomes: [],
        files: [],
      })
      expect(ends).toMatchObject(RUNNERS.map(() => ({ code: 0 })))
      expect(approvals).toBeGreaterThan(0)
    },
    LONGEST_MS,
  )
})
