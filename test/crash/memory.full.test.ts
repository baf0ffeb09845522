import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { type Api, taskApi } from '../journeys/api.ts'
import { scriptedTask, scriptedWorld } from '../journeys/scripted.ts'
import { startService } from '../journeys/service.ts'
import { seededRandom, upTo } from './random.ts'

// Half an hour is the full size.
const LOAD_MS = Number(process.env.MEMORY_LOAD_MS ?? 5_000)
const CLIENTS = 4
const PAUSE_MS = 20
const LONGEST_RUN_MS = 60
const SAMPLE_MS = 250
const MOST_GROWTH_MB = 40

type Sample = { total: number; sum: number; least: number; most: number; residentMb: number }
type Load = { begun: number; acknowledged: number; done: Record<string, number> }

const residentMb = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024

/** What a client does with a task that it created, by lot. */
const DEEDS: Record<string, (api: Api, id: string) => Promise<unknown>> = {
  read: (api, id) => api.task(id),
  events: (api, id) => api.events(id),
  // A task that ended before is not cancelled any more.
  cancel: (api, id) => api.cancel(id).catch(() => undefined),
  list: (api) => api.page('limit=50'),
  status: (api) => api.queueStatus(),
}
const NAMES = Object.keys(DEEDS)

const client = async (api: Api, seed: number, load: Load, isOver: () => boolean) => {
  const random = seededRandom(seed)
  while (!isOver()) {
    load.begun += 1
    const { id } = await api.create(scriptedTask('mixed', { runMs: upTo(LONGEST_RUN_MS, random) }))
    load.acknowledged += 1
    const name = NAMES[upTo(NAMES.length - 1, random)] ?? 'read'
    await DEEDS[name]?.(api, id)
    load.done[name] = (load.done[name] ?? 0) + 1
    await sleep(upTo(PAUSE_MS, random))
  }
}

const takeSample = async (api: Api, load: Load, pid: number): Promise<Sample> => {
  const least = load.acknowledged
  const { totalTasks, byStatus } = await api.analytics()
  const sum = Object.values(byStatus).reduce((all, n) => all + n, 0)
  return { total: totalTasks, sum, least, most: load.begun, residentMb: residentMb(pid) }
}

/** The samples taken while all clients are at work. */
const sampledUnder = async (load: Load, api: Api, pid: number): Promise<Sample[]> => {
  const end = performance.now() + LOAD_MS
  const isOver = () => performance.now() > end
  const clients = Array.from({ length: CLIENTS }, (_, n) => client(api, n, load, isOver))
  const samples: Sample[] = []
  for (; !isOver(); await sleep(SAMPLE_MS)) samples.push(await takeSample(api, load, pid))
  await Promise.all(clients)
  return samples
}

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

describe(`a service under mixed load for ${LOAD_MS / 1_000} seconds`, () => {
  it(
    'has at every moment as many tasks as were created, each in one state, and does not grow',
    async () => {
      using world = scriptedWorld()
      await using service = await startService({ ...world, mostMs: LOAD_MS + 120_000 })
      const api = taskApi(service.baseUrl)
      const load: Load = { begun: 0, acknowledged: 0, done: {} }
      const samples = await sampledUnder(load, api, service.pid)

      const wrong = samples.filter(
        ({ total, sum, least, most }) => total !== sum || total < least || total > most,
      )
      expect(wrong).toEqual([])
      expect(Object.keys(load.done).toSorted()).toEqual(NAMES.toSorted())
      await api.untilIdle()
      const { totalTasks, byStatus } = await api.analytics()
      expect(totalTasks).toBe(load.acknowledged)
      expect((byStatus.completed ?? 0) + (byStatus.cancelled ?? 0)).toBe(totalTasks)

      const quarter = Math.floor(samples.length / 4)
      const resident = samples.map((sample) => sample.residentMb)
      const grownMb = median(resident.slice(3 * quarter)) - median(resident.slice(quarter, 2 * quarter))
      const figures = { tasks: totalTasks, samples: samples.length, endMb: resident.at(-1), grownMb }
      process.stdout.write(`Mixed load: ${JSON.stringify({ ...figures, ...load.done })}\n`)
      expect(grownMb).toBeLessThan(MOST_GROWTH_MB)
    },
    LOAD_MS + 90_000,
  )
})
