import type { Clock } from '../ports/clock.ts'
import type { Page } from '../ports/store.ts'
import type { FeedBatch } from './rows.ts'

/** A session that another process follows stores its deltas every two seconds: a poll adds little to that. */
const POLL_MS = 250

/** The state at the beginning of a look. `polledAt` is the time of the last poll; every read of the look began later. */
export type Look = { readonly appends: number; readonly polls: number; readonly polledAt: number }

type Needs = {
  clock: Clock
  readPage: (stream: string, place: string) => Promise<Page<FeedBatch>>
}

/** The streams that this process follows, each with one timer; readers of one page at one time share the read. */
export const createTails = ({ clock, readPage }: Needs) => {
  const tails = new Map<string, Tail>()

  const open = (stream: string): Tail => {
    const waiting = new Set<() => void>()
    const reads = new Map<string, Promise<Page<FeedBatch>>>()
    let look: Look = { appends: 0, polls: 0, polledAt: clock.now() }
    let followers = 0
    let cancel: () => void = () => undefined

    const learn = (now: Look) => {
      look = now
      // A running read may already have passed the place of the new entries.
      reads.clear()
      for (const call of [...waiting]) call()
    }
    const arm = () => {
      cancel = clock.after(POLL_MS, () => {
        arm()
        learn({ ...look, polls: look.polls + 1, polledAt: clock.now() })
      })
    }
    const shared = (place: string): Promise<Page<FeedBatch>> => {
      const underWay = reads.get(place)
      if (underWay !== undefined) return underWay
      const read = readPage(stream, place)
      reads.set(place, read)
      const forget = () => {
        if (reads.get(place) === read) reads.delete(place)
      }
      read.then(forget, forget)
      return read
    }

    return {
      appended: () => learn({ ...look, appends: look.appends + 1 }),
      enter() {
        if (followers++ === 0) arm()
        return {
          beginLook: () => look,
          read: async (place, signal) => (signal.aborted ? undefined : unlessAborted(shared(place), signal)),
          async wake({ appends, polls }, signal) {
            const { promise, resolve } = Promise.withResolvers<void>()
            waiting.add(resolve)
            if (look.appends === appends && look.polls === polls) await unlessAborted(promise, signal)
            waiting.delete(resolve)
            return look.polls === polls ? 'appended' : 'polled'
          },
          [Symbol.dispose]() {
            if (--followers > 0) return
            cancel()
            tails.delete(stream)
          },
        }
      },
    }
  }

  return {
    /** Wakes the followers of a stream that this process has appended to. */
    appended: (stream: string): void => tails.get(stream)?.appended(),
    enter(stream: string): Following {
      const tail = tails.get(stream) ?? open(stream)
      tails.set(stream, tail)
      return tail.enter()
    },
  }
}

type Tail = { appended(): void; enter(): Following }

/** A follower's share in the tail of a stream, released when it is disposed of. */
type Following = Disposable & {
  beginLook(): Look
  /** Resolves to undefined when the signal aborts first. */
  read(place: string, signal: AbortSignal): Promise<Page<FeedBatch> | undefined>
  /** Resolves to the reason when there may be new entries since the beginning of this look, or when the signal aborts. */
  wake(look: Look, signal: AbortSignal): Promise<'appended' | 'polled'>
}

/** Settles as the work does, or resolves to undefined when the signal aborts first. Leaves no listener. */
const unlessAborted = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> => {
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>()
  const onAbort = () => resolve(undefined)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort)
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
