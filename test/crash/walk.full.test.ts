import { describe, expect, it } from '@jest/globals'
import type { Task } from '../../lib/tasks/schema.ts'
import { type Api, taskApi, taskPages } from '../journeys/api.ts'
import { scriptedTask, scriptedWorld } from '../journeys/scripted.ts'
import { startService } from '../journeys/service.ts'

/** 100,000 is the full size. */
const SEEDED = Number(process.env.WALK_TASKS ?? 10_000)
const CHUNK = 5_000
// Many tasks share a creation time, so that the key has to tell them apart, also across the ends of pages.
const SAME_TIME = 7
const FIRST_AT = Date.UTC(2026, 0, 1)

const finished = (n: number): Partial<Task> => {
  const at = new Date(FIRST_AT + Math.floor(n / SAME_TIME)).toISOString()
  return {
    id: `seed_${String((n * 7_919) % SEEDED).padStart(6, '0')}`,
    title: `seed ${n}`,
    priority: 3,
    status: 'completed',
    source: 'api',
    labels: [],
    createdAt: at,
    updatedAt: at,
    completedAt: at,
  }
}

const seed = async (api: Api) => {
  for (let from = 0; from < SEEDED; from += CHUNK) {
    const results = await api.importTasks(Array.from({ length: CHUNK }, (_, n) => finished(from + n)))
    expect(results).toEqual({ imported: CHUNK, skipped: 0, errors: [] })
  }
}

/** Creates tasks one after the other until it is over; resolves to their ids. */
const keepCreating = async (api: Api, name: string, isOver: () => boolean) => {
  const ids: string[] = []
  while (!isOver()) ids.push((await api.create(scriptedTask(`${name} ${ids.length}`))).id)
  return ids
}

/** How often each id comes in a walk. */
const timesSeen = async (api: Api, query: string) => {
  const seen = new Map<string, number>()
  for await (const { tasks } of taskPages(api, query))
    for (const { id } of tasks) seen.set(id, (seen.get(id) ?? 0) + 1)
  return seen
}

const wrongly = (seen: ReadonlyMap<string, number>, there: readonly string[]) => ({
  repeated: [...seen].filter(([, times]) => times > 1),
  skipped: there.filter((id) => !seen.has(id)),
})

describe(`a walk by cursor over ${SEEDED.toLocaleString('en-US')} tasks`, () => {
  it('repeats and skips nothing while tasks are created and run', async () => {
    using world = scriptedWorld()
    await using service = await startService(world)
    const api = taskApi(service.baseUrl)
    await seed(api)
    let over = false
    const creators = ['a', 'b'].map((name) => keepCreating(api, name, () => over))
    const early = await Promise.all(['x', 'y', 'z'].map((title) => api.create(scriptedTask(title))))
    for (const { id } of early) await api.untilTask(id, 'completed')

    const there = Array.from({ length: SEEDED }, (_, n) => String(finished(n).id)).concat(
      early.map(({ id }) => id),
    )
    const walks = await Promise.all([
      timesSeen(api, 'limit=200'),
      timesSeen(api, 'limit=200&status=completed'),
      timesSeen(api, 'limit=199&fields=title,prompt'),
    ])
    over = true
    const created = (await Promise.all(creators)).flat()
    for (const seen of walks) expect(wrongly(seen, there)).toEqual({ repeated: [], skipped: [] })
    expect(created.length).toBeGreaterThan(100)
    expect((await api.analytics()).totalTasks).toBe(there.length + created.length)
  })
})
