import type { Follower, Followers, Store, Write } from '../../lib/ports/store.ts'
import { taskEvents } from '../../lib/tasks/rows.ts'

/** When a process dies, counted from the write that decides: before all that follows, or after a part of it. */
export const DEATHS = [
  'before anything follows',
  'before the event',
  'between the event and its totals',
] as const
export type Death = (typeof DEATHS)[number]

export class Died extends Error {}

type Row = Record<string, unknown>
type Change = [head: Write<Row>, followers?: Followers<Row>, detail?: boolean]
const isTally = (follower: Follower) => 'tally' in follower
const isEvent = (write: Write<Row>) => 'insert' in write && (write.insert as object) === taskEvents

/** A store whose process dies over the first write that decides something once it is armed, and does nothing after. */
export const createMortal = (death: Death) => {
  let state: 'healthy' | 'armed' | 'dying' | 'dead' = 'healthy'
  const die = (): never => {
    state = 'dead'
    throw new Died(death)
  }

  const through = (real: Store): Store => {
    const decideAndDie = async (...[head, followers, detail]: Change) => {
      const isBare = death === 'before anything follows'
      const outcome = await real.commit(head, isBare ? [] : followers, detail)
      if (!outcome.applied) return outcome
      state = 'dying'
      return isBare ? die() : outcome
    }
    const tellAndDie = async (...[head, followers, detail]: Change) => {
      if (death === 'before the event') return die()
      // Between an event and its totals is over one that has any.
      if (!Array.isArray(followers) || !followers.some(isTally)) return real.commit(head, followers, detail)
      await real.commit(
        head,
        Array.isArray(followers) ? followers.filter((one) => !isTally(one)) : [],
        detail,
      )
      return die()
    }
    const commit = async (...change: Change) => {
      if (state === 'dead') return die()
      if (isEvent(change[0])) return state === 'dying' ? tellAndDie(...change) : real.commit(...change)
      return state === 'armed' ? decideAndDie(...change) : real.commit(...change)
    }
    const decide = async (...change: Change) => ({ ...(await commit(...change)), durable: Promise.resolve() })
    const unlessDead =
      <A extends unknown[], T>(call: (...args: A) => T) =>
      (...args: A) =>
        state === 'dead' ? die() : call(...args)
    const reads = { get: unlessDead(real.get), page: unlessDead(real.page) }
    return { ...real, ...reads, commit, decide } as unknown as Store
  }

  return {
    through,
    /** What `act` does is the last that this process did. */
    dieOver: async (act: () => Promise<unknown>): Promise<void> => {
      state = 'armed'
      await act().catch((thrown) => {
        if (!(thrown instanceof Died)) throw thrown
      })
      state = 'dead'
    },
  }
}

/** A store whose process stands still before it tells what followed from what it did, until it is let go on. */
export const createSlow = () => {
  const { promise, resolve: goOn } = Promise.withResolvers<void>()
  const { promise: standing, resolve: stand } = Promise.withResolvers<void>()
  const through = (real: Store): Store => {
    const commit = async (...change: Change) => {
      if (isEvent(change[0])) {
        stand()
        await promise
      }
      return real.commit(...change)
    }
    return { ...real, commit } as unknown as Store
  }
  return { through, standing, goOn }
}
