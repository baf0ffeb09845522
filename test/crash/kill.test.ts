import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { taskApi } from '../journeys/api.ts'
import { scriptedWorld } from '../journeys/scripted.ts'
import { type Environment, launchService, startService } from '../journeys/service.ts'
import { auditAll, rerun } from './audit.ts'
import { counted, shownCounters } from './counters.ts'
import { halfKeyed, produceDuring } from './producer.ts'
import { seededRandom, upTo } from './random.ts'

const KILLS = Number(process.env.CRASH_KILLS ?? 4)
const SEED = Number(process.env.CRASH_SEED ?? randomInt(2 ** 31))
const PRODUCERS = 6
const LONGEST_START_MS = 400
const LONGEST_LIFE_MS = 500
// A kill costs each task that runs an attempt. With the default of 3 a task that three kills in a row catch would
// rightly fail, and now and then one would be; with 100, the most there is, none comes near it.
const settings = { QUEUE_RETRY_ATTEMPTS: '100' }

/** Starts the service `KILLS` times and kills it each time: at work, or, every fourth time, while it starts. */
const liveAndDie = async (env: Environment, random: () => number, moved: (url?: string) => void) => {
  for (let kill = 0; kill < KILLS; kill += 1) {
    const service = launchService({ env })
    try {
      if (kill % 4 === 3) await sleep(upTo(LONGEST_START_MS, random))
      else {
        moved(await service.ready())
        await sleep(upTo(LONGEST_LIFE_MS, random))
      }
    } finally {
      await service.kill9()
      moved()
    }
  }
}

/** Several producers at work while the service lives and dies; resolves to what they were told. */
const produceThrough = (env: Environment) => {
  let url: string | undefined
  const moved = (at?: string) => {
    url = at
  }
  return produceDuring(() => liveAndDie(env, seededRandom(SEED), moved), {
    ...halfKeyed(PRODUCERS),
    seed: SEED + 1,
    address: () => url,
  })
}

// No kill reaches the fences of a run here: in one process a task has one worker, and that is dead before the next one
// claims. cloud-kill.test.ts and late-worker.test.ts hold them to it.
describe(`a service that is killed ${KILLS} times, CRASH_SEED=${SEED}`, () => {
  it(
    'completes every acknowledged task exactly once, and counts what is there',
    async () => {
      using world = scriptedWorld(settings)
      const { acknowledged, refused } = await produceThrough(world.env)
      expect(refused).toEqual([])
      expect(acknowledged.length).toBeGreaterThan(KILLS)

      await using service = await startService(world)
      const api = taskApi(service.baseUrl)
      const { tasks, wrong } = await auditAll(api, acknowledged, world.journal)
      expect(wrong).toEqual([])
      // Before any death a run may begin before its claim is durable; after one, never: what ran was counted.
      const first = world.journal()[0]?.service
      expect(rerun(world.journal()).filter((line) => line.service !== first)).toEqual([])
      expect(await shownCounters(api)).toEqual(counted(tasks))
      expect(tasks.some(({ attempts }) => attempts > 1)).toBe(true)
    },
    120_000 + KILLS * 4_000,
  )
})
