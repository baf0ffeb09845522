import { randomInt, randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync } from 'node:fs'
import * as path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { connect } from '../journeys/client.ts'
import {
  type Environment,
  fixtureReads,
  launchService,
  root,
  serviceNode,
  temporaryFolder,
} from '../journeys/service.ts'
import { auditOrders } from './agent-audit.ts'
import { decideApprovals, placeOrders } from './agent-customers.ts'
import { type Journal, type JournalEntry, openJournal } from './agent-journal.ts'
import { settled } from './insist.ts'
import { markedProcesses } from './marked-processes.ts'
import { seededRandom, upTo } from './random.ts'

const KILLS = Number(process.env.AGENT_KILLS ?? 6)
const SEED = Number(process.env.CRASH_SEED ?? randomInt(2 ** 31))
const CUSTOMERS = 4
/** A moment that does not come in this time is missed, and the next one is waited for. */
const MOMENT_MS = 20_000
/** All orders end in this time after the last kill. */
const SETTLED_MS = 60_000
const LONGEST_MS = 120_000 + SETTLED_MS + KILLS * 10_000
/** Processes of a dead service or agent end at once; a busy machine needs some time to do so. */
const GONE_MS = 10_000
const program = path.join(root, 'test/fixtures/acp/reporting.ts')

const victims = ['service', 'agent', 'both'] as const
type Victim = (typeof victims)[number]
/** What begins a moment of a run, and the longest time after it that a kill may come. */
type Moment = { begins: (entry: JournalEntry) => boolean; longestMs: number }

const isFollowUp = (entry: JournalEntry) =>
  entry.did === 'prompted' && (entry.acts ?? []).some((id) => !/^[^.]+\.0\./.test(id))
const when = (did: JournalEntry['did'], longestMs: number): Moment => ({
  begins: (entry) => entry.did === did,
  longestMs,
})
/** The moments of a kill of the service, and those of a kill of an agent, which must be there for it. */
const moments = {
  start: { service: when('creates', 900), agent: when('started', 100) },
  prompt: { service: when('prompted', 300), agent: when('prompted', 200) },
  permission: { service: when('asks', 500), agent: when('asks', 400) },
  result: { service: when('ends', 300), agent: when('ends', 3) },
  'follow-up': {
    service: when('replies', 300),
    agent: { begins: (entry) => entry.did === 'replies' || isFollowUp(entry), longestMs: 200 },
  },
} as const satisfies Record<string, { service: Moment; agent: Moment }>
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

const openWorld = async () => {
  const folder = temporaryFolder()
  // The agents are another user.
  chmodSync(folder.path, 0o755)
  mkdirSync(folder.in('outside'))
  mkdirSync(folder.in('tmp'))
  const journal = await openJournal(folder.in('outside', 'journal.sock'))
  const mark = randomUUID()
  const reporting = {
    type: 'reporting',
    command: serviceNode,
    args: [program, folder.in('outside', 'journal.sock')],
    env: { REPORTING_MARK: mark },
    reads: [...fixtureReads, folder.in('outside')],
    // With a provider the broker stands beside each run.
    provider: 'anthropic',
  }
  const env: Environment = {
    DATA_DIR: folder.in('data'),
    MEMORY_DIR: folder.in('memory'),
    TMPDIR: folder.in('tmp'),
    ACP_AGENTS: JSON.stringify([reporting]),
    AGENT_SANDBOX: 'require',
    AGENT_NETWORK: 'on',
    ANTHROPIC_API_KEY: 'sk-operator-0123456789',
    QUEUE_CONCURRENCY: '3',
    // A kill costs an attempt: none of these tasks comes near this.
    QUEUE_RETRY_ATTEMPTS: '100',
    QUEUE_RETRY_BACKOFF_MS: '1',
    QUEUE_RETRY_TYPE: 'fixed',
  }
  const processes = () => markedProcesses(`REPORTING_MARK=${mark}`)
  return {
    env,
    journal,
    processes,
    /**
     * The processes that are still there after the time that they have to end. `withSandboxes`: also bubblewrap itself, which
     * the next start ends where the service died as it began.
     */
    processesLeft: ({ withSandboxes }: { withSandboxes: boolean }) =>
      settled(
        GONE_MS,
        async () => processes().filter(({ words }) => withSandboxes || words[0] !== 'bwrap'),
        ({ length }) => length === 0,
      ),
    /** The program of an agent that runs in the workspace of a thread. */
    agentOf: (thread: string) =>
      processes().find(({ words, folder: at }) => words[1] === program && at.includes(thread)),
    temporaryFiles: () => readdirSync(folder.in('tmp')),
    [Symbol.dispose]: () => {
      for (const { pid } of processes()) process.kill(pid, 'SIGKILL')
      journal[Symbol.dispose]()
      folder[Symbol.dispose]()
    },
  }
}
type World = Awaited<ReturnType<typeof openWorld>>

/** Waits for a moment, and for a random time after it. Resolves to the thread, or the workspace, in which it came. */
const untilMoment = async (journal: Journal, { begins, longestMs }: Moment, random: () => number) => {
  const entry = await journal.next(begins, MOMENT_MS)
  await sleep(upTo(longestMs, random))
  return entry && 'thread' in entry ? entry.thread : undefined
}

/** Whether the agent of a thread was there to be killed. */
const killAgent = ({ agentOf }: World, thread: string | undefined): boolean => {
  const agent = thread === undefined ? undefined : agentOf(thread)
  try {
    return agent !== undefined && process.kill(agent.pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
    return false
  }
}

const processName = ({ pid, words }: ReturnType<World['processes']>[number]): string =>
  `${pid} ${words.join(' ').slice(0, 100)}`

const killThrough = async (world: World, random: () => number, moved: (url?: string) => void) => {
  const { env, journal } = world
  const left: string[] = []
  const start = async () => {
    const service = launchService({ env, mostMs: LONGEST_MS, endsWithParent: true })
    moved(await service.ready())
    return service
  }
  let service = await start()
  try {
    for (const { victim, moment } of planKills(random)) {
      if (victim === 'service') await untilMoment(journal, moments[moment].service, random)
      else while (!killAgent(world, await untilMoment(journal, moments[moment].agent, random)));
      if (victim === 'agent') continue
      await service.kill9()
      moved()
      const found = await world.processesLeft({ withSandboxes: false })
      const sandboxes = new Set(world.processes().map(({ pid }) => pid))
      service = await start()
      found.push(...world.processes().filter(({ pid }) => sandboxes.has(pid)))
      left.push(...found.map((one) => `after a kill of ${victim} at ${moment}: ${processName(one)}`))
    }
    return { service, left }
  } catch (thrown) {
    await service.kill9()
    throw thrown
  }
}

/** The number of kills of each kind, as a table. */
const killTable = (kills: readonly Kill[]): string => {
  const number = (victim: Victim, moment: MomentName) =>
    kills.filter((kill) => kill.victim === victim && kill.moment === moment).length
  const rows = victims.map((victim) => [victim, ...momentNames.map((moment) => number(victim, moment))])
  const lines = [['', ...momentNames], ...rows]
  return lines.map((cells) => cells.map((cell) => String(cell).padEnd(11)).join('')).join('\n')
}

// Repeat a run with the same kills: AGENT_KILLS=<kills> CRASH_SEED=<seed> npm test -- test/crash/agent-kill
describe(`agents over ACP, and their service, that are killed ${KILLS} times, CRASH_SEED=${SEED}`, () => {
  it(
    'lose nothing, record nothing twice, leave no process, and take no permission that no person gave',
    async () => {
      using world = await openWorld()
      const { journal } = world
      let url: string | undefined
      let lastKillAt = Number.POSITIVE_INFINITY
      let isDone = false
      const isOver = () => performance.now() > lastKillAt
      const isLate = () => performance.now() > lastKillAt + SETTLED_MS
      const shared = { journal, address: () => url }
      const customers = Array.from({ length: CUSTOMERS }, (_, n) =>
        placeOrders(`order-${n}`, { ...shared, isOver, isLate, random: seededRandom(SEED + n) }),
      )
      const accepted = Promise.all(customers)
      accepted.catch(() => undefined)
      const operator = decideApprovals({ ...shared, isOver: () => isDone, random: seededRandom(SEED - 1) })
      const { service, left } = await killThrough(world, seededRandom(SEED - 2), (at) => {
        url = at
      }).finally(() => {
        lastKillAt = performance.now()
      })
      await using _ended = service
      const orders = (await accepted).flat()
      isDone = true
      await operator

      const { tasks, ...found } = await auditOrders(connect(await service.ready()), orders, journal.entries)
      await service.stop()
      const processesLeft = [
        ...left,
        ...(await world.processesLeft({ withSandboxes: true })).map(processName),
      ]
      const approvals = journal.entries.filter(({ did }) => did === 'sees').length
      process.stderr.write(
        [
          `CRASH_SEED=${SEED}: ${KILLS} kills, ${orders.length} threads of ${tasks} tasks, ${approvals} approvals`,
          killTable(planKills(seededRandom(SEED - 2))),
          `lost ${found.lost.length}, twice ${found.twice.length}, unseen ${found.unseen.length}, processes left ${processesLeft.length}\n`,
        ].join('\n'),
      )
      expect(found).toEqual({ lost: [], twice: [], unseen: [], other: [] })
      expect(processesLeft).toEqual([])
      expect(world.temporaryFiles()).toEqual([])
      expect(approvals).toBeGreaterThan(0)
    },
    LONGEST_MS,
  )
})
