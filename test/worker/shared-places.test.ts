import { describe, expect, it } from '@jest/globals'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import type { Collection } from '../../lib/core/collection.ts'
import type { RunTask, TaskRow } from '../../lib/tasks/schema.ts'
import { placeRows, placeWaits } from '../../lib/worker/place-rows.ts'
import { createSharedPlaces } from '../../lib/worker/shared-places.ts'
import { createFakeClock } from '../fakes/clock.ts'

const collections = [placeRows, placeWaits] as unknown as readonly Collection[]
const MINUTE_MS = 60_000

const soon = (_ms: number, call: () => void) => {
  setImmediate(call)
  return () => undefined
}

/** Several processes over one storage, and tasks of one user that they claim. */
const opened = async (count: number, { perUser = 3 } = {}) => {
  const store = openSqliteStore({ file: ':memory:', collections, clock: createClock() })
  const clock = createFakeClock()
  const tasks = new Map<string, TaskRow>()
  const caps = { perAgent: 0, perRepository: 0, perUser }
  const freed: string[] = []
  const change = (id: string, set: Partial<TaskRow>) => {
    const task = { ...tasks.get(id), ...set } as TaskRow
    if ('waitingFor' in set && set.waitingFor === undefined) delete task.waitingFor
    tasks.set(id, task)
  }
  const open = () =>
    createSharedPlaces({
      store,
      clock: { ...clock, after: soon },
      entropy,
      caps: () => caps,
      read: async (id) => tasks.get(id),
      wait: async ({ taskId }, { reason }, rows) => {
        const [row] = rows
        if (row !== undefined) await store.commit(row)
        change(taskId, { waitingFor: reason })
      },
      proceed: async ({ id }) => {
        change(id, { waitingFor: undefined as never })
        freed.push(id)
      },
    })
  const processes = Array.from({ length: count }, open)
  const add = (id: string): RunTask => {
    const row = { id, status: 'queued', fence: 0, agent: 'a', createdBy: 'ann', priority: 3, createdAt: id }
    tasks.set(id, row as TaskRow)
    return { taskId: id, attempt: 1, fence: 0 }
  }
  const claim = (places: ReturnType<typeof open>, message: RunTask) =>
    places.within(message, async (held) => {
      const task = tasks.get(message.taskId)
      if (task?.status !== 'queued') return undefined
      change(message.taskId, { status: 'in_progress', fence: 1, ...(held && { places: held }) })
      return tasks.get(message.taskId)
    })
  const running = () =>
    [...tasks.values()].filter(({ status }) => status === 'in_progress').map(({ id }) => id)
  const holders = async () =>
    (await store.page(placeRows, { index: 'all', order: 'asc', limit: 9 })).rows.flatMap(
      ({ holders: all }) => all,
    )
  return { store, clock, tasks, caps, letGo: freed, processes, add, change, claim, running, holders }
}

describe('places that many processes share', () => {
  it('are never more than the cap, however many claim at once, and each end lets the next one go on', async () => {
    const { processes, add, claim, running, tasks, change, letGo, holders } = await opened(5)
    const messages = Array.from({ length: 40 }, (_, n) => add(`task_${String(n).padStart(2, '0')}`))
    const some = (n: number) => processes[n % processes.length] ?? processes[0]
    await Promise.all(messages.map((message, n) => claim(some(n) as never, message)))
    expect(running()).toHaveLength(3)
    expect([...tasks.values()].filter(({ waitingFor }) => waitingFor === 'slot')).toHaveLength(37)
    for (let ended = 0; ended < 40; ended += 1) {
      const [id = ''] = running()
      const { places } = tasks.get(id) ?? {}
      change(id, { status: 'completed' })
      if (places) await some(ended)?.giveUp(places)
      await Promise.all(
        letGo.splice(0).map((taskId) => claim(some(ended) as never, { taskId, attempt: 1, fence: 0 })),
      )
      expect(running()).toHaveLength(Math.min(3, 39 - ended))
    }
    expect(await holders()).toEqual([])
  })

  it('stay with the run where its message comes twice', async () => {
    const { processes, add, claim, running, holders } = await opened(2, { perUser: 1 })
    const message = add('task_1')
    await Promise.all(processes.map((places) => claim(places, message)))
    for (const places of processes) await claim(places, message)
    expect(running()).toEqual(['task_1'])
    expect(await holders()).toHaveLength(1)
    await claim(processes[0] as never, add('task_2'))
    expect(running()).toEqual(['task_1'])
  })

  it('of a process that died before its claim, and of a run whose end was not heard of, are given up after a minute', async () => {
    const { processes, add, claim, change, clock, letGo, holders } = await opened(1, { perUser: 2 })
    const [places] = processes
    if (places === undefined) throw new Error('There is no process')
    const died = places.within(add('task_1'), async () => {
      throw new Error('The process died')
    })
    await expect(died).rejects.toThrow('died')
    await claim(places, add('task_2'))
    await claim(places, add('task_3'))
    change('task_2', { status: 'failed' })
    await places.repair()
    expect([letGo, (await holders()).length]).toEqual([[], 2])
    clock.advance(MINUTE_MS + 1)
    await places.repair()
    expect([letGo, (await holders()).length]).toEqual([['task_3'], 0])
  })

  it('leave nothing in storage when nothing runs or waits', async () => {
    const { store, processes, add, claim, change, tasks } = await opened(1)
    const [places] = processes
    await claim(places as never, add('task_1'))
    change('task_1', { status: 'completed' })
    const { places: held } = tasks.get('task_1') ?? {}
    if (held) await places?.giveUp(held)
    await places?.repair()
    expect((await store.page(placeRows, { index: 'all', order: 'asc', limit: 9 })).rows).toEqual([])
  })

  it('go to a task of another cap where the first one that waits may still not start', async () => {
    const { processes, add, claim, caps, running, change, tasks, letGo } = await opened(1, { perUser: 1 })
    const [places] = processes
    if (places === undefined) throw new Error('There is no process')
    caps.perAgent = 2
    const own = (id: string, createdBy: string) => {
      const message = add(id)
      change(id, { createdBy })
      return message
    }
    await claim(places, own('task_1', 'ann'))
    await claim(places, own('task_2', 'bob'))
    for (const [id, user] of [
      ['task_3', 'ann'],
      ['task_4', 'cy'],
    ] as const)
      await claim(places, own(id, user))
    const { places: held } = tasks.get('task_2') ?? {}
    change('task_2', { status: 'completed' })
    if (held) await places.giveUp(held)
    // The first one waits for its user from now on, and passes the place on.
    while (letGo.length > 0) await claim(places, { taskId: letGo.shift() ?? '', attempt: 1, fence: 0 })
    expect(running()).toEqual(['task_1', 'task_4'])
  })
})
