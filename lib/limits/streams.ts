import { collection } from '../core/collection.ts'
import { busyError, createContention } from '../core/contention.ts'
import { errorMessage, Problem } from '../core/errors.ts'
import { repeat } from '../core/repeat.ts'
import { leaseHolds } from '../core/wrong-clock.ts'
import type { OpenStreams } from '../http/event-stream.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { Store } from '../ports/store.ts'
import { once } from './user-slots.ts'

/** One stream of a user. A replaced one has lost its place, and is ending. */
type Stream = {
  readonly id: string
  readonly isResumable: boolean
  /** When the place is free even if it was not freed: its process may have died. Epoch milliseconds. */
  readonly until: number
  readonly isReplaced?: true
}

type StreamsRow = { id: string; version: number; streams: readonly Stream[]; expiresAt: number }

export const openStreams = collection<StreamsRow>({
  name: 'openStreams',
  key: 'id',
  indexes: {},
  expires: 'expiresAt',
})

type Limit = { most: number; longestMs: number }

/** The streams with a further one; undefined when it has to be refused. */
const withStream = (
  streams: readonly Stream[],
  added: Stream,
  most: number,
): readonly Stream[] | undefined => {
  const open = streams.filter(({ isReplaced }) => !isReplaced)
  if (open.length < most) return [...streams, added]
  const oldest = open.find(({ isResumable }) => isResumable)
  if (oldest === undefined || streams.length - open.length >= most) return undefined
  return [...streams.map((one) => (one === oldest ? { ...one, isReplaced: true as const } : one)), added]
}

export const createLocalStreams = ({ ids }: { ids: Ids }, { most }: Pick<Limit, 'most'>): OpenStreams => {
  const streamsByUser = new Map<string, readonly Stream[]>()
  const controllers = new Map<string, AbortController>()
  const set = (userId: string, streams: readonly Stream[]) =>
    streams.length > 0 ? streamsByUser.set(userId, streams) : streamsByUser.delete(userId)
  return async (userId, isResumable) => {
    const id = ids.next('stream')
    const added = { id, isResumable, until: Number.POSITIVE_INFINITY }
    const streams = withStream(streamsByUser.get(userId) ?? [], added, most)
    if (streams === undefined) throw tooMany(most)
    set(userId, streams)
    const controller = new AbortController()
    controllers.set(id, controller)
    for (const one of streams) if (one.isReplaced) controllers.get(one.id)?.abort()
    return {
      replaced: controller.signal,
      free: async () => {
        controllers.delete(id)
        set(userId, without(streamsByUser.get(userId) ?? [], id))
      },
    }
  }
}

const without = (streams: readonly Stream[], id: string) => streams.filter((one) => one.id !== id)

const LOOK_MS = 2_000

type Needs = {
  store: Pick<Store, 'get' | 'commit'>
  clock: Pick<Clock, 'now' | 'after'>
  entropy: Entropy
  ids: Ids
  log: Pick<Log, 'warn'>
}

/** The streams of several processes: a row per user has them, and each resumable stream reads it every two seconds. */
export const createSharedStreams = (
  { store, clock, entropy, ids, log }: Needs,
  { most, longestMs }: Limit,
): OpenStreams => {
  const contend = createContention({ clock, entropy }, () =>
    busyError('limit_busy', 'Too many requests at once. Try again'),
  )

  const attempt = async (
    userId: string,
    step: (streams: readonly Stream[], now: number) => readonly Stream[] | undefined,
  ): Promise<'stored' | 'refused' | undefined> => {
    const row = await store.get(openStreams, userId)
    const now = clock.now()
    const open = (row?.streams ?? []).filter(({ until }) => leaseHolds(until, longestMs, now))
    const streams = step(open, now)
    if (streams === undefined) return 'refused'
    // Versions begin with the time, so that a new row never has a version of an earlier row of the user.
    const next = { version: (row?.version ?? now) + 1, streams, expiresAt: now + longestMs }
    const { applied } = await store.commit<StreamsRow>(
      row === undefined
        ? { insert: openStreams, row: { id: userId, ...next } }
        : { update: openStreams, key: userId, when: { version: row.version }, set: next },
    )
    return applied ? 'stored' : undefined
  }

  /** Aborts when the stream has lost its place. A failed read is repeated at the next look. */
  const watchPlace = (userId: string, id: string) => {
    const replaced = new AbortController()
    const look = async () => {
      const row = await store.get(openStreams, userId)
      const own = row?.streams.find((one) => one.id === id)
      if (own !== undefined && !own.isReplaced) return
      replaced.abort()
      end()
    }
    const end = repeat({ clock, log }, LOOK_MS, look, 'the open streams of a user could not be read')
    return { replaced: replaced.signal, end }
  }

  return async (userId, isResumable) => {
    const id = ids.next('stream')
    const outcome = await contend(() =>
      attempt(userId, (streams, now) =>
        withStream(streams, { id, isResumable, until: now + longestMs }, most),
      ),
    )
    if (outcome === 'refused') throw tooMany(most)
    const watch = isResumable
      ? watchPlace(userId, id)
      : { replaced: new AbortController().signal, end: () => undefined }
    const removePlace = async () => {
      watch.end()
      try {
        await contend(() => attempt(userId, (streams) => without(streams, id)))
      } catch (thrown) {
        log.warn({ reason: errorMessage(thrown) }, 'the place of a stream was not freed')
      }
    }
    return { replaced: watch.replaced, free: once(removePlace) }
  }
}

const AGAIN_MS = 5_000

const tooMany = (most: number) =>
  new Problem(
    'rate_limited',
    'too_many_streams',
    `You have ${most} streams open, which is the limit. Close one first`,
    { retryAfterMs: AGAIN_MS },
  )
