import type { DatabaseSync } from 'node:sqlite'
import type { Message } from '../../core/collection.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Participant } from './group-commit.ts'

/** Delivers messages. When it rejects, all of them are delivered again. */
export type Deliver = (messages: readonly Message[]) => Promise<void>

/** A message on its way out. `seq` is the number of its row in the outbox; undefined without a row. */
type Outgoing = { message: Message; seq: number | undefined }

/**
 * The undelivered messages of a channel: rows of the outbox, and these without a row. `failures` counts rounds; the next
 * round begins after the row `from`. `hasMore`: messages came back since the round began, possibly behind its place.
 */
type Backlog = {
  rowless: Outgoing[]
  failures: number
  from: number
  hasMore: boolean
  cancel: () => void
}

const emptyBacklog = (): Backlog => ({
  rowless: [],
  failures: 0,
  from: 0,
  hasMore: false,
  cancel: () => undefined,
})

type Needs = {
  /** The connection of the open transaction. */
  db: DatabaseSync
  /** The connection that sees the durable state. */
  reader: DatabaseSync
  clock: Clock
  /** Without it, messages stay in the outbox for the next start, and rebuilt ones are dropped. */
  deliver: Deliver | undefined
  /** Requests a transaction, which removes the rows of delivered messages. */
  writeSoon: () => void
}

const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 60_000
/** The next batch removes rows of delivered messages; after this time without one, an extra batch does. */
const REMOVE_WITHIN_MS = 1_000
/** The rows that one batch removes at most: it holds the event loop. */
const MOST_REMOVED = 4_096
/** Messages of a backlog that are in memory at once. */
const PAGE = 256

export const createOutboxTable = (db: DatabaseSync): void =>
  db.exec(
    `CREATE TABLE IF NOT EXISTS _outbox (seq INTEGER PRIMARY KEY, channel TEXT NOT NULL, id TEXT NOT NULL,
     body TEXT NOT NULL, priority INTEGER, not_before TEXT, grp TEXT)`,
  )

export type Outbox = ReturnType<typeof openOutbox>

/**
 * The outbox: a message is a row of the transaction that causes it, and a later transaction removes the row after
 * delivery. A `rebuilt` message has no row. The messages of one batch are delivered together, after its commit. When
 * `deliver` rejects, each of their channels has a backlog: after a growing wait its messages are delivered again,
 * together and then one by one, so that one which always fails does not block the others. New messages do not wait for a
 * backlog: the order of deliveries is not that of the commits.
 */
export const openOutbox = ({ db, reader, clock, deliver, writeSoon }: Needs) => {
  const insert = db.prepare(
    'INSERT INTO _outbox (seq, channel, id, body, priority, not_before, grp) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const remove = db.prepare('DELETE FROM _outbox WHERE seq BETWEEN ? AND ?')
  const select = reader.prepare('SELECT * FROM _outbox WHERE channel = ? AND seq > ? ORDER BY seq LIMIT ?')
  const channels = reader.prepare('SELECT DISTINCT channel FROM _outbox')
  let last = Number(db.prepare('SELECT max(seq) AS last FROM _outbox').get()?.last ?? 0)

  let state: 'waiting' | 'running' | 'stopped' = 'waiting'
  /** The messages of the open batch. */
  let added: Outgoing[] = []
  /** Messages without a row that were committed before the start. */
  const unstarted: Outgoing[] = []
  /** Rows that must not be read from the file: uncommitted, being delivered, or to be removed. */
  const taken = new Set<number>()
  const toRemove: number[] = []
  /** The rows that the open batch removes. */
  let removed: number[] = []
  let removal: (() => void) | undefined
  const backlogs = new Map<string, Backlog>()
  let underWay = 0
  const settled: (() => void)[] = []

  /** Writes the row of a message; returns its number. */
  const write = ({ to, id, body, priority, notBefore, group }: Message): number => {
    last += 1
    insert.run(last, to, id, JSON.stringify(body), priority ?? null, notBefore ?? null, group ?? null)
    taken.add(last)
    return last
  }

  const isSettled = () => underWay === 0 && (backlogs.size === 0 || state !== 'running')

  /** Counts work as running while it lasts. */
  const during = async (work: () => Promise<void>): Promise<void> => {
    underWay += 1
    await work()
    underWay -= 1
    if (isSettled()) for (const wake of settled.splice(0)) wake()
  }

  /**
   * Delivers messages together; resolves to whether it succeeded. The rows of delivered messages are not needed any more.
   */
  const handOver = async (messages: readonly Outgoing[]): Promise<boolean> => {
    try {
      await deliver?.(messages.map(({ message }) => message))
    } catch {
      return false
    }
    for (const { seq } of messages) if (seq !== undefined) toRemove.push(seq)
    removal ??= toRemove.length === 0 ? undefined : clock.after(REMOVE_WITHIN_MS, removeNow)
    return true
  }

  const removeNow = () => {
    removal = undefined
    if (toRemove.length > 0 && state === 'running') writeSoon()
  }

  /** Delivers messages together and then one by one; resolves to the number of failures. */
  const offer = async (messages: readonly Outgoing[]): Promise<number> => {
    if (messages.length === 0 || (await handOver(messages))) return 0
    const isTaken = await Promise.all(
      messages.map((one) => (messages.length > 1 && state === 'running' ? handOver([one]) : false)),
    )
    const left = messages.filter((_, at) => !isTaken[at])
    putBack(left)
    return left.length
  }

  /** Returns undelivered messages: rows are read again later, the others stay in memory. */
  const putBack = (messages: readonly Outgoing[]) => {
    for (const one of messages) {
      const backlog = findBacklog(one.message.to)
      backlog.hasMore = true
      if (one.seq === undefined) backlog.rowless.push(one)
      else taken.delete(one.seq)
    }
  }

  const findBacklog = (channel: string): Backlog => {
    const known = backlogs.get(channel)
    if (known) return known
    const backlog = emptyBacklog()
    backlogs.set(channel, backlog)
    tryLater(channel, backlog)
    return backlog
  }

  const tryLater = (channel: string, backlog: Backlog) => {
    if (state !== 'running') return
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** backlog.failures)
    backlog.failures += 1
    backlog.cancel = clock.after(waitMs, () => void during(() => tryBacklog(channel, backlog)))
  }

  /**
   * Delivers rows page by page. It ends at a page without any success, and the next round begins after it: such a page
   * blocks no other. A round that does not begin with the first row has more.
   */
  const offerRows = async (channel: string, backlog: Backlog): Promise<void> => {
    const above = readRows(channel, backlog.from)
    if (backlog.from > 0 && above.length > 0) backlog.hasMore = true
    let page = above.length > 0 ? above : readRows(channel, 0)
    backlog.from = 0
    while (page.length > 0 && state === 'running') {
      const last = page.at(-1)?.seq ?? 0
      if ((await offer(page)) === page.length) {
        backlog.from = last
        return
      }
      page = readRows(channel, last)
    }
  }

  /** One round through a backlog. */
  const tryBacklog = async (channel: string, backlog: Backlog): Promise<void> => {
    backlog.hasMore = false
    await offer(backlog.rowless.splice(0))
    try {
      await offerRows(channel, backlog)
    } catch {
      // The file cannot be read now: the next round tries again.
      backlog.hasMore = true
    }
    if (!backlog.hasMore) backlogs.delete(channel)
    else tryLater(channel, backlog)
  }

  /** The next rows of a channel that nothing else handles. */
  const readRows = (channel: string, after: number): Outgoing[] => {
    const rows = select.all(channel, after, PAGE)
    const free = rows.filter(({ seq }) => !taken.has(Number(seq)))
    if (free.length === 0 && rows.length > 0) return readRows(channel, Number(rows.at(-1)?.seq))
    const messages = free.map(outgoing)
    for (const { seq } of messages) if (seq !== undefined) taken.add(seq)
    return messages
  }

  /** Leaves messages for the next start, which reads their rows. */
  const keepForStart = (messages: readonly Outgoing[]) => {
    for (const one of messages)
      if (one.seq !== undefined) taken.delete(one.seq)
      else if (state === 'waiting' && deliver !== undefined) unstarted.push(one)
  }

  return {
    /** Adds a message to the open batch; throws TypeError for one that cannot be written. */
    add: (message: Message): void => {
      const { to, id, body, priority = 1, notBefore = '', group = '', rebuilt } = message
      if ([to, id, notBefore, group].some((text) => typeof text !== 'string') || !Number.isFinite(priority))
        throw new TypeError(`A field of the message ${id} is of another type`)
      if (typeof body !== 'object') throw new TypeError(`The body of the message ${id} is no object`)
      added.push({ message, seq: rebuilt ? undefined : write(message) })
    },
    /** Begins to deliver, with the rows of the file. */
    start: (): void => {
      if (state !== 'waiting' || deliver === undefined) return
      state = 'running'
      void during(async () => void (await offer(unstarted.splice(0))))
      for (const row of channels.all()) {
        const channel = String(row.channel)
        const backlog = emptyBacklog()
        backlogs.set(channel, backlog)
        void during(() => tryBacklog(channel, backlog))
      }
    },
    /** Stops deliveries; resolves when running ones have ended. */
    stop: (): Promise<void> => {
      state = 'stopped'
      removal?.()
      for (const { cancel } of backlogs.values()) cancel()
      return underWay === 0 ? Promise.resolve() : new Promise((resolve) => settled.push(resolve))
    },
    /** Resolves when all committed messages are delivered; before the start, when no delivery is running. */
    settled: (): Promise<void> =>
      isSettled() ? Promise.resolve() : new Promise((resolve) => settled.push(resolve)),
    get isSettled() {
      return isSettled()
    },
    /** Whether rows of delivered messages remain to be removed. */
    get hasToRemove() {
      return toRemove.length > 0
    },
    beforeCommit: (): void => {
      removed = toRemove.splice(0, MOST_REMOVED)
      for (const [from, to] of ranges(removed)) remove.run(from, to)
    },
    rolledBack: (): void => {
      for (const { seq } of added) if (seq !== undefined) taken.delete(seq)
      added = []
      toRemove.push(...removed)
      removed = []
    },
    durable: (): void => {
      for (const seq of removed) taken.delete(seq)
      if (removed.length === MOST_REMOVED && toRemove.length > 0) writeSoon()
      removed = []
      const messages = added
      added = []
      if (state !== 'running') keepForStart(messages)
      else if (messages.length > 0)
        void during(async () => {
          if (!(await handOver(messages))) putBack(messages)
        })
    },
  } satisfies Participant & Record<string, unknown>
}

/** A row of the outbox as a message. */
const outgoing = (row: Record<string, unknown>): Outgoing => {
  const { seq, channel, id, body, priority, not_before, grp } = row
  const message = {
    to: String(channel),
    id: String(id),
    body: JSON.parse(String(body)),
    ...(priority === null ? {} : { priority }),
    ...(not_before === null ? {} : { notBefore: not_before }),
    ...(grp === null ? {} : { group: grp }),
  }
  // Only `add` writes rows, of checked messages.
  return { message: message as Message, seq: Number(seq) }
}

/** Numbers as the first and last of each unbroken run. */
const ranges = (numbers: readonly number[]): [number, number][] => {
  const runs: [number, number][] = []
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const run = runs.at(-1)
    if (run !== undefined && run[1] === number - 1) run[1] = number
    else runs.push([number, number])
  }
  return runs
}
