import { asProblem } from './database.ts'
import type { RowCache } from './row-cache.ts'
import type { BatchBuilder, WriteBatch, Writer } from './write-batch.ts'

/** Keeps a transaction short and its batch small; further commits go into the next one. */
const MOST_PER_BATCH = 512
const MOST_CHARACTERS = 4_000_000
/**
 * The batch that the writer works on, and a second one that is ready, so that the writer need not wait for the event
 * loop.
 */
const MOST_UNDER_WAY = 2
/** Fewer commits wait for an idle writer, and share their fsync with later ones. */
const WORTH_A_BATCH = 16

/** Takes part in every batch. Batches are committed in the order of sealing. */
export type Participant = {
  /** Adds the decisions since the last batch to this one. */
  seal(): void
  /** The oldest sealed batch is in the file. */
  committed(): void
  /** All uncommitted decisions are void, sealed or not. */
  voided(): void
}

/** The outcome of all commits of a batch: they are in the file, or void for a reason. */
type Settle = ReturnType<typeof Promise.withResolvers<void>> & { commits: number }
type Sealed = { batch: WriteBatch; settle: Settle }
type Needs = {
  writer: Writer
  batch: BatchBuilder
  rowCache: RowCache
  participants: readonly Participant[]
}

/**
 * Group commit. A commit is decided at once, on top of all earlier decisions; the commits of one turn of the event loop,
 * and of the time in which the writer is busy, then share a transaction and its fsync, and settle after it: the more
 * share one, the cheaper each is. When a transaction fails, all later decisions are void and reject; a batch that is
 * already under way belongs to the same era, and the writer refuses it.
 */
export const groupCommit = ({ writer, batch, rowCache, participants }: Needs) => {
  const all = [rowCache, ...participants]
  let open = newSettle()
  let sealed: Sealed[] = []
  let underWay = 0
  let failing = false
  let scheduled = false
  const idle: (() => void)[] = []

  const isIdle = () => underWay === 0 && sealed.length + open.commits === 0

  const seal = () => {
    if (open.commits === 0) return
    for (const one of all) one.seal()
    sealed.push({ batch: batch.seal(), settle: open })
    open = newSettle()
  }

  const isDue = () => {
    if (underWay === 0) return open.commits + sealed.length > 0
    return underWay < MOST_UNDER_WAY && (sealed.length > 0 || open.commits >= WORTH_A_BATCH)
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

  const write = async ({ batch: { era }, batch: written, settle }: Sealed) => {
    underWay += 1
    try {
      await writer.run(written)
      failing = false
      for (const one of all) one.committed()
      settle.resolve()
    } catch (thrown) {
      voidAll(settle, era, asProblem(thrown))
    }
    underWay -= 1
    schedule()
    if (isIdle()) for (const wake of idle.splice(0)) wake()
  }

  /** The first failure of an era ends it: later decisions are based on the file again. */
  const voidAll = (first: Settle, era: number, reason: unknown) => {
    failing = true
    const lost = [first]
    if (era === batch.era) {
      lost.push(...sealed.map(({ settle }) => settle))
      if (open.commits > 0) lost.push(open)
      batch.startOver(sealed.map((one) => one.batch))
      sealed = []
      open = newSettle()
      for (const one of all) one.voided()
    }
    for (const { reject } of lost) reject(reason)
  }

  /** Decides a commit; one that throws leaves no trace and rejects alone. */
  const decided = <T>(decide: () => T): T => {
    try {
      const outcome = decide()
      rowCache.accept()
      return outcome
    } catch (thrown) {
      rowCache.reject()
      throw thrown
    }
  }

  return {
    /** The result of `decide`, and a promise that settles when everything it is based on is in the file. */
    decide: <T>(decide: () => T): { outcome: T; committed: Promise<void> } => {
      const outcome = decided(decide)
      const { promise: committed } = open
      open.commits += 1
      if (open.commits >= MOST_PER_BATCH || rowCache.characters >= MOST_CHARACTERS) seal()
      schedule()
      return { outcome, committed }
    },
    /** Whether the writer has a batch: the file may change at any time. */
    get isWriting(): boolean {
      return underWay > 0
    },
    /** False after a failed batch, until one succeeds. */
    get writable(): boolean {
      return !failing
    },
    /** Whether anything waits to be written. */
    get isBusy(): boolean {
      return !isIdle()
    },
    /** Resolves when nothing waits to be written. */
    drained: (): Promise<void> =>
      isIdle() ? Promise.resolve() : new Promise((resolve) => idle.push(resolve)),
  }
}

const newSettle = (): Settle => ({ ...Promise.withResolvers<void>(), commits: 0 })
