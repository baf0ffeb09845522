import type { Followers, Outcome, Write } from '../../ports/store.ts'
import type { Fields } from './change.ts'
import { asProblem } from './failure.ts'
import type { Hot, Touched } from './hot.ts'
import type { Draft, Script, Writer } from './script.ts'

/** So that one transaction stays short and its script small; what comes after it goes into the next. */
const MOST_PER_SCRIPT = 512
const MOST_CHARACTERS = 4_000_000
/** The script that the writer is at, and one that lies ready, so that it need not wait for a turn of our event loop. */
const MOST_UNDER_WAY = 2
/** Fewer changes wait for the writer to be free, and share their fsync with those that come meanwhile. */
const WORTH_A_SCRIPT = 16

export type Change = { head: Write<Fields>; followers: Followers<Fields>; detail: boolean }
/** What all changes of a script hear together: that they are durable, or why they are void. */
type Settle = ReturnType<typeof Promise.withResolvers<void>> & { changes: number }
type Sealed = { script: Script; touched: Touched; settle: Settle }
type Needs = {
  writer: Writer
  draft: Draft
  hot: Hot
  /** Add what was summed up since the last script to the draft. */
  beforeSeal: readonly (() => void)[]
  /** Called when the file has changed. */
  onDurable: readonly (() => void)[]
  /** Take back what was summed up for scripts that are void. */
  onVoid: readonly (() => void)[]
}

/**
 * Group commit. A change is decided at once, on top of all that were decided before it; the changes of one turn of the
 * event loop, and of as long as the writer is busy, then share a transaction, hence one fsync, and hear their outcome
 * after it: the more changes share one, the less each of them costs. When a transaction fails, all that was decided since
 * is void and hears so; a script that is under way by then belongs to the same era, and the writer refuses it.
 */
export const groupCommit = ({ writer, draft, hot, beforeSeal, onDurable, onVoid }: Needs) => {
  let open = newSettle()
  let sealed: Sealed[] = []
  let underWay = 0
  let failing = false
  let scheduled = false
  const idle: (() => void)[] = []

  const isIdle = () => underWay === 0 && sealed.length + open.changes === 0

  const seal = () => {
    if (open.changes === 0) return
    for (const add of beforeSeal) add()
    const touched = hot.seal()
    sealed.push({ script: draft.take(), touched, settle: open })
    open = newSettle()
  }

  const isDue = () => {
    if (underWay === 0) return open.changes + sealed.length > 0
    return underWay < MOST_UNDER_WAY && (sealed.length > 0 || open.changes >= WORTH_A_SCRIPT)
  }

  const schedule = () => {
    if (scheduled || !isDue()) return
    scheduled = true
    setImmediate(send)
  }

  const send = () => {
    scheduled = false
    if (sealed.length === 0) seal()
    const next = sealed.shift()
    if (next) void write(next)
  }

  const write = async ({ script, touched, settle }: Sealed) => {
    underWay += 1
    try {
      await writer.run(script)
      failing = false
      hot.settle(touched)
      for (const tell of onDurable) tell()
      settle.resolve()
    } catch (thrown) {
      voidAll(settle, script.era, asProblem(thrown))
    }
    underWay -= 1
    schedule()
    if (isIdle()) for (const wake of idle.splice(0)) wake()
  }

  /** The first failure of an era ends it: what is decided from now on stands on the file again. */
  const voidAll = (first: Settle, era: number, reason: unknown) => {
    failing = true
    const lost = [first]
    if (era === draft.era) {
      lost.push(...sealed.map(({ settle }) => settle))
      if (open.changes > 0) lost.push(open)
      draft.startOver(sealed.map(({ script }) => script))
      sealed = []
      open = newSettle()
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
      const { promise: durable } = open
      open.changes += 1
      if (open.changes >= MOST_PER_SCRIPT || draft.characters + hot.characters >= MOST_CHARACTERS) seal()
      schedule()
      return { outcome, durable }
    },
    /** Whether a script is with the writer: the file may change at any moment. */
    get isWriting(): boolean {
      return underWay > 0
    },
    /** False after a script that failed, until one succeeds. */
    get writable(): boolean {
      return !failing
    },
    /** Resolves when nothing waits to be written. */
    drained: (): Promise<void> =>
      isIdle() ? Promise.resolve() : new Promise((resolve) => idle.push(resolve)),
  }
}

const newSettle = (): Settle => ({ ...Promise.withResolvers<void>(), changes: 0 })
