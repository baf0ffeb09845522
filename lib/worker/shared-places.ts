import { hash } from 'node:crypto'
import { busyError, createContention } from '../core/contention.ts'
import { rowPages } from '../core/page.ts'
import { iso } from '../core/time.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { AnyWrite, Store } from '../ports/store.ts'
import type { HeldPlaces, QueuedWait, RunTask, TaskRow } from '../tasks/schema.ts'
import { CAPS, type Cap, type Caps, capText, nameUnder } from './caps.ts'
import { type Holder, type PlaceRow, type PlaceWait, placeRows, placeWaits } from './place-rows.ts'

type Needs = {
  store: Store
  clock: Clock
  entropy: Entropy
  caps: () => Caps
  /** The stored task without its detail. */
  read: (taskId: string) => Promise<TaskRow | undefined>
  /** Makes a queued task wait; the same commit writes `rows`. */
  wait: (message: RunTask, waiting: QueuedWait, rows: readonly AnyWrite[]) => Promise<unknown>
  /** Lets a queued task go on that waits. */
  proceed: (row: TaskRow) => Promise<void>
}

type Asked = { id: string; cap: Cap; most: number }
type Full = Asked & { running: number }

/** A run that was not claimed this long after it took its places has died before. */
const CLAIMED_MS = 60_000
const PAGE = 100
const NONE: PlaceRow = { id: '', version: 0, holders: [] }

const capIn = (id: string): Cap | undefined => CAPS.find((cap) => id.startsWith(`${cap}:`))

export type SharedPlaces = ReturnType<typeof createSharedPlaces>

/**
 * The places of running tasks under the caps, where many processes run tasks. A task takes a place under each of its caps
 * before it is claimed, and keeps it until it has left `in_progress`, also while it waits for an approval. One that finds a
 * cap reached waits in the order of priority and time, without a message; each place that is given up lets the next one go
 * on. `repair` ends what a process that died has left.
 */
export const createSharedPlaces = ({ store, clock, entropy, caps, read, wait, proceed }: Needs) => {
  const contend = createContention({ clock, entropy }, () =>
    busyError('places_busy', 'Other workers are claiming tasks. Try again'),
  )

  /** Writes other holders of a cap; `next` gives undefined to leave them. Resolves to the holders after that. */
  const change = (id: string, next: (holders: readonly Holder[]) => readonly Holder[] | undefined) =>
    contend(async () => {
      const stored = await store.get(placeRows, id)
      const { version, holders: before } = stored ?? NONE
      const holders = next(before)
      if (holders === undefined) return before
      const { applied } = await store.commit<PlaceRow>(
        stored === undefined
          ? { insert: placeRows, row: { id, version: 1, holders } }
          : { update: placeRows, key: id, when: { version }, set: { version: version + 1, holders } },
      )
      return applied ? holders : undefined
    }, id)

  const capsOver = (task: TaskRow): Asked[] =>
    CAPS.flatMap((cap) => {
      const most = caps()[cap]
      const name = nameUnder(cap, task)
      return most > 0 && name !== undefined ? [{ id: `${cap}:${hash('sha256', name)}`, cap, most }] : []
    })

  const leave = async ({ token, caps: ids }: HeldPlaces): Promise<void> => {
    for (const id of ids)
      await change(id, (holders) =>
        holders.some((holder) => holder.token === token)
          ? holders.filter((holder) => holder.token !== token)
          : undefined,
      )
  }

  /** Takes a place under each cap, or none. */
  const take = async (task: TaskRow, asked: readonly Asked[]): Promise<HeldPlaces | Full> => {
    const holder = { token: `${task.id}:${task.fence}`, taskId: task.id, at: iso(clock.now()) }
    const taken: string[] = []
    for (const one of asked) {
      let running = 0
      let isFull = false
      await change(one.id, (holders) => {
        const others = holders.filter(({ token }) => token !== holder.token)
        running = others.length
        isFull = running >= one.most
        return isFull ? undefined : [...others, holder]
      })
      if (isFull) {
        await giveUp({ token: holder.token, caps: taken })
        return { ...one, running }
      }
      taken.push(one.id)
    }
    return { token: holder.token, caps: taken }
  }

  /** Lets the first of the tasks go on that wait at a cap, at most `most`. Resolves to how many did. */
  const letSomeGo = async (id: string, most: number): Promise<{ gone: number; isLast: boolean }> => {
    const limit = Math.min(most, PAGE)
    const { rows } = await store.page(placeWaits, { index: 'ofCap', is: id, order: 'asc', limit })
    let gone = 0
    for (const { turn, taskId } of rows) {
      const task = await read(taskId)
      const waits = task?.status === 'queued' && task.waitingFor === 'slot'
      if (waits) await proceed(task)
      if (waits) gone += 1
      await store.commit<PlaceWait>({ remove: placeWaits, key: [id, turn] })
    }
    return { gone, isLast: rows.length < limit }
  }

  /** Lets as many waiting tasks go on as a cap has free places. */
  const letGo = async (id: string): Promise<void> => {
    const cap = capIn(id)
    const most = (cap && caps()[cap]) || Number.POSITIVE_INFINITY
    const { holders } = (await store.get(placeRows, id)) ?? NONE
    for (let free = most - holders.length; free > 0; ) {
      const { gone, isLast } = await letSomeGo(id, free)
      if (isLast) return
      free -= gone
    }
  }

  const giveUp = async (places: HeldPlaces): Promise<void> => {
    await leave(places)
    for (const id of places.caps) await letGo(id)
  }

  const waitAt = async (message: RunTask, task: TaskRow, full: Full, asked: readonly Asked[]) => {
    const { id: cap, running, most } = full
    const text = capText(full.cap, task, running, most)
    // A task that waits again may have left its row behind.
    const turn = `${task.priority}:${task.createdAt}:${task.id}:${task.fence}:${clock.now()}`
    const row = { insert: placeWaits, row: { cap, turn, taskId: task.id } }
    await wait(message, { reason: 'slot', message: text }, [row])
    // A place may have become free before the wait was stored, and what this task was let go for is for the next one.
    for (const one of asked) await letGo(one.id)
  }

  /** Whether the task runs by the claim of this token, also where another message of the task has led to it. */
  const hasPlaces = async (taskId: string, token: string): Promise<boolean> => {
    const task = await read(taskId)
    return task?.status === 'in_progress' && task.places?.token === token
  }

  const isAlive = async ({ token, taskId, at }: Holder): Promise<boolean> =>
    Date.parse(at) > clock.now() - CLAIMED_MS || hasPlaces(taskId, token)

  const repairOne = async ({ id, holders }: PlaceRow): Promise<void> => {
    const dead = new Set<string>()
    for (const holder of holders) if (!(await isAlive(holder))) dead.add(holder.token)
    const left =
      dead.size === 0 ? holders : await change(id, (now) => now.filter(({ token }) => !dead.has(token)))
    await letGo(id)
    if (left.length > 0) return
    const { rows } = await store.page(placeWaits, { index: 'ofCap', is: id, order: 'asc', limit: 1 })
    const empty = await store.get(placeRows, id)
    if (rows.length === 0 && empty?.holders.length === 0)
      await store.commit<PlaceRow>({ remove: placeRows, key: id, when: { version: empty.version } })
  }

  return {
    /**
     * Calls `claim` with places for the task of a message. Resolves to undefined where nothing was claimed: the task waits
     * now, or the message is a repeat. While no cap is set nothing is read.
     */
    within: async (
      message: RunTask,
      claim: (places?: HeldPlaces) => Promise<TaskRow | undefined>,
    ): Promise<TaskRow | undefined> => {
      if (CAPS.every((cap) => caps()[cap] === 0)) return claim()
      const task = await read(message.taskId)
      const isCurrent = task?.fence === (message.fence ?? task?.fence)
      if (task?.status !== 'queued' || !isCurrent) return claim()
      const asked = capsOver(task)
      const places = await take(task, asked)
      if ('running' in places) {
        await waitAt(message, task, places, asked)
        return undefined
      }
      // A claim that fails may have been written: `repair` finds out.
      const leased = await claim(places)
      if (leased === undefined && !(await hasPlaces(task.id, places.token))) await giveUp(places)
      return leased
    },
    /** Gives up the places of a run that has ended, and lets the next tasks go on. A repeat changes nothing. */
    giveUp,
    /** Gives up what processes that died have left, and lets tasks go on whose cap was raised. Call it by the clock. */
    repair: async (): Promise<void> => {
      const all = { index: 'all', order: 'asc', limit: PAGE } as const
      for await (const rows of rowPages((from) => store.page(placeRows, { ...all, ...from })))
        for (const row of rows) await repairOne(row)
    },
  }
}
