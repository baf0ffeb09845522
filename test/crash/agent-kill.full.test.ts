import { randomInt } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync } from 'node:fs'
import { describe, expect, it } from '@jest/globals'
import { connect } from '../journeys/client.ts'
import { type Environment, launchService, temporaryFolder } from '../journeys/service.ts'
import { auditOrders } from './agent-audit.ts'
import { ordersDuring } from './agent-customers.ts'
import { openJournal } from './agent-journal.ts'
import { killAgentAt, planKills, runMoments, untilMoment, when } from './agent-kills.ts'
import { seededRandom } from './random.ts'
import { processName, reportingAgent } from './reporting-agent.ts'

const KILLS = Number(process.env.AGENT_KILLS ?? 6)
const SEED = Number(process.env.CRASH_SEED ?? randomInt(2 ** 31))
/** All orders end in this time after the last kill. */
const SETTLED_MS = 60_000
const LONGEST_MS = 120_000 + SETTLED_MS + KILLS * 10_000

const victims = ['service', 'agent', 'both'] as const
const moments = { start: { any: when('creates', 900), agent: when('started', 100) }, ...runMoments }
const random = seededRandom(SEED - 2)
const { kills, table } = planKills({ victims, moments }, KILLS, random)

const openWorld = async () => {
  const folder = temporaryFolder()
  // The agents are another user.
  chmodSync(folder.path, 0o755)
  for (const name of ['outside', 'tmp']) mkdirSync(folder.in(name))
  const socket = folder.in('outside', 'journal.sock')
  const journal = await openJournal(socket)
  const agent = reportingAgent(socket)
  const env: Environment = {
    DATA_DIR: folder.in('data'),
    MEMORY_DIR: folder.in('memory'),
    TMPDIR: folder.in('tmp'),
    ...agent.env,
    QUEUE_CONCURRENCY: '3',
    // A kill costs an attempt: none of these tasks comes near this.
    QUEUE_RETRY_ATTEMPTS: '100',
    QUEUE_RETRY_BACKOFF_MS: '1',
    QUEUE_RETRY_TYPE: 'fixed',
  }
  return {
    env,
    journal,
    agent,
    temporaryFiles: () => readdirSync(folder.in('tmp')),
    [Symbol.dispose]: () => {
      agent[Symbol.dispose]()
      journal[Symbol.dispose]()
      folder[Symbol.dispose]()
    },
  }
}
type World = Awaited<ReturnType<typeof openWorld>>

const killThrough = async ({ env, journal, agent }: World, moved: (url?: string) => void) => {
  const left: string[] = []
  const start = async () => {
    const service = launchService({ env, mostMs: LONGEST_MS, endsWithParent: true })
    moved(await service.ready())
    return service
  }
  let service = await start()
  try {
    for (const { victim, moment } of kills) {
      if (victim === 'service') await untilMoment(journal, moments[moment].any, random)
      else await killAgentAt(moments[moment].agent, { agents: [agent], journal, random })
      if (victim === 'agent') continue
      await service.kill9()
      moved()
      // The next start ends the sandboxes of a service that died as they began.
      const found = await agent.processesLeft(({ words }) => words[0] !== 'bwrap')
      const sandboxes = new Set(agent.processes().map(({ pid }) => pid))
      service = await start()
      found.push(...agent.processes().filter(({ pid }) => sandboxes.has(pid)))
      left.push(...found.map((one) => `after a kill of ${victim} at ${moment}: ${processName(one)}`))
    }
    return { service, left }
  } catch (thrown) {
    await service.kill9()
    throw thrown
  }
}

// Repeat a run with the same kills: AGENT_KILLS=<kills> CRASH_SEED=<seed> npm test -- test/crash/agent-kill
describe(`agents over ACP, and their service, that are killed ${KILLS} times, CRASH_SEED=${SEED}`, () => {
  it(
    'lose nothing, record nothing twice, leave no process, and take no permission that no person gave',
    async () => {
      using world = await openWorld()
      const { journal, agent } = world
      let url: string | undefined
      const about = { journal, address: () => url, seed: SEED, settledMs: SETTLED_MS }
      const { orders, result } = await ordersDuring(about, () =>
        killThrough(world, (at) => {
          url = at
        }),
      )
      const { left } = result
      await using service = result.service

      const audit = await auditOrders(connect(await service.ready()), orders, journal.entries)
      await service.stop()
      left.push(...(await agent.processesLeft()).map(processName))
      process.stderr.write(`CRASH_SEED=${SEED}: ${KILLS} kills, ${audit.summary}\n${table}\n`)
      expect(audit.found).toEqual({ lost: [], twice: [], unseen: [], other: [] })
      expect(left).toEqual([])
      expect(world.temporaryFiles()).toEqual([])
      expect(audit.approvals).toBeGreaterThan(0)
    },
    LONGEST_MS,
  )
})
