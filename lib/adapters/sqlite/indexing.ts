import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../ports/clock.ts'
import type { Plan } from './plan.ts'
import { openIndexer } from './search-index.ts'

/** A step holds the event loop so long. */
const STEP_MS = 8
/** While other commits go on, a step is followed by so many times its duration for them. */
const SHARE_OF_COMMITS = 40
const SHORTEST_PAUSE_MS = 5
const FIRST_PAUSE_MS = 50

type Needs = {
  db: DatabaseSync
  plans: readonly Plan[]
  clock: Clock
  /** Does work in a transaction. */
  commit: (work: () => void) => Promise<void>
}

/**
 * Indexes the rows that commits have marked, in short steps with pauses: while commits go on, it takes a fortieth of the
 * time; when there are none, half.
 */
export const createIndexing = ({ db, plans, clock, commit }: Needs) => {
  const indexers = plans.filter(({ search }) => search !== undefined).map((plan) => openIndexer(db, plan))
  let state: 'idle' | 'waiting' | 'running' | 'stopped' = 'idle'
  let othersCommitted = false
  let cancel: (() => void) | undefined

  const wait = (ms: number) => {
    if (state === 'stopped') return
    state = 'waiting'
    cancel = clock.after(ms, step)
  }

  const indexStep = (): number => {
    const began = clock.monotonic()
    const passed = () => clock.monotonic() - began
    for (const indexer of indexers) if (indexer.hasWork()) indexer.indexSome(() => passed() < STEP_MS)
    return passed()
  }

  const step = async () => {
    if (!indexers.some((indexer) => indexer.hasWork())) {
      state = 'idle'
      return
    }
    state = 'running'
    const isBusy = othersCommitted
    othersCommitted = false
    let took = 0
    try {
      await commit(() => {
        took = indexStep()
      })
      wait(Math.max(SHORTEST_PAUSE_MS, took * (isBusy ? SHARE_OF_COMMITS : 1)))
    } catch {
      // Storage reports its failures to callers; the next commit that succeeds begins again.
      if (state === 'running') state = 'idle'
    }
  }

  return {
    /** After each batch. */
    durable: (): void => {
      if (state !== 'running') othersCommitted = true
      if (state === 'idle' && indexers.length > 0) wait(FIRST_PAUSE_MS)
    },
    /** Goes on with what an earlier process left. */
    start: (): void => {
      if (indexers.length > 0) wait(FIRST_PAUSE_MS)
    },
    stop: (): void => {
      state = 'stopped'
      cancel?.()
    },
  }
}
