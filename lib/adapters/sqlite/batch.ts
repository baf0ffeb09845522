import type { Followers, Outcome, Write } from '../../ports/store.ts'
import type { Fields } from './change.ts'
import { asProblem } from './failure.ts'
import type { Hot, Touched } from './hot.ts'
import type { Draft, Script, Writer } from './script.ts'

/** So that one transaction stays short and its script small; what comes after it goes into the next. */
const MOST_PER_SCRIPT = 512
const MOST_CHARACTERS = 4_000_000
/** One script is being written while the next is on its way, so that the writer never waits for a message. */
const MOST_UNDER_WAY = 2

export type Change = { head: Write<Fields>; followers: Followers<Fields>; detail: boolean }
type Settle = { resolve: () => void; reject: (reason: unknown) => void }
type Sealed = { script: Script; touched: Touched; settles: readonly Settle[] }
type Needs = {
  writer: Writer
  draft: Draft
  hot: Hot
  /** Add what was summed up since the last script to the draft. */
  beforeSeal: readonly (() => void)[]
  /** Take back what was summed up for scripts that are void. */
  onVoid: readonly (() => void)[]
}

/**
 * Group commit. A change is decided at once, on top of all that were decided before it; the changes of one turn of the
 * event loop, and of as long as the writer is busy, then share a transaction, hence one fsync, and hear their outcome
 * after it. When a transaction fails, all that was decided since is void and hears so.
 */
export const groupCommit = ({ writer, draft, hot, beforeSeal, onVoid }: Needs) => {
  let settles: Settle[] = []
  let sealed: Sealed[] = []
  let underWay = 0
  let failing = false
  let scheduled = false
  const idle: (() => void)[] = []

  const seal = () => {
    if (settles.length === 0) return
    for (const add of beforeSeal) add()
    const touched = hot.seal()
    sealed.push({ script: draft.take(), touched, settles })
    settles = []
  }

  const schedule = () => {
    if (scheduled || underWay >= MOST_UNDER_WAY || settles.length + sealed.length === 0) return
    scheduled = true
    setImmediate(send)
  }

  const send = () => {
    scheduled = false
    if (sealed.length === 0) seal()
    const next = sealed.shift()
    if (next) void write(next)
    schedule()
  }

  const write = async ({ script, touched, settles: hearing }: Sealed) => {
    underWay += 1
    try {
      await writer.run(script)
      failing = false
      hot.settle(touched)
      for (const { resolve } of hearing) resolve()
    } catch (thrown) {
      voidAll(hearing, script.era, asProblem(thrown))
    }
    underWay -= 1
    schedule()
    if (underWay + sealed.length + settles.length === 0) for (const wake of idle.splice(0)) wake()
  }

  /** The first failure of an era ends it: what is decided from now on stands on the file again. */
  const voidAll = (hearing: readonly Settle[], era: number, reason: unknown) => {
    failing = true
    const lost = [...hearing]
    if (era === draft.era) {
      lost.push(...sealed.flatMap((one) => one.settles), ...settles)
      sealed = []
      settles = []
      draft.startOver()
      hot.clear()
      for (const takeBack of onVoid) takeBack()
    }
    for (const { reject } of lost) reject(reason)
  }

  /** Decides a change; one that throws leaves no trace and rejects alone. */
  const decided = <T>(decide: () => T): T => {
    const end = draft.end
    try {
      const outcome = decide()
      hot.accept()
      return outcome
    } catch (thrown) {
      draft.cut(end)
      hot.reject()
      throw thrown
    }
  }

  return {
    /** What `decide` returned, and when what it added to the draft is durable. */
    decide: <T extends Outcome<Fields> | number>(decide: () => T): { outcome: T; durable: Promise<void> } => {
      const outcome = decided(decide)
      const durable = new Promise<void>((resolve, reject) => {
        settles.push({ resolve, reject })
      })
      if (settles.length >= MOST_PER_SCRIPT || draft.characters + hot.characters >= MOST_CHARACTERS) seal()
      schedule()
      return { outcome, durable }
    },
    /** False after a script that failed, until one succeeds. */
    get writable(): boolean {
      return !failing
    },
    /** Resolves when nothing waits to be written. */
    drained: (): Promise<void> =>
      underWay + sealed.length + settles.length === 0
        ? Promise.resolve()
        : new Promise((resolve) => idle.push(resolve)),
  }
}
