import type { DatabaseSync } from 'node:sqlite'
import type { Message } from '../../core/collection.ts'
import type { Clock } from '../../ports/clock.ts'

/** Delivers messages. When it rejects, all of them are delivered again. */
export type Deliver = (messages: readonly Message[]) => Promise<void>

/** A message on its way out. `seq` is the number of its row in the outbox; undefined without a row. */
type Outgoing = { message: Message; seq: number | undefined }

type Needs = {
  /** The connection of the open transaction. */
  db: DatabaseSync
  /** The connection that sees the durable state. */
  reader: DatabaseSync
  clock: Clock
  /** Without it, messages stay in the outbox for the next start, and rebuilt ones are dropped. */
  deliver: Deliver | undefined
  /** Gets the length of each text that is written. */
  countWritten: (characters: number) => void
  /** Requests a transaction, which removes the rows of delivered messages. */
  writeSoon: () => void
}

const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 60_000
/** The next batch removes rows of delivered messages; after this time without one, an extra batch does. */
const REMOVE_WITHIN_MS = 1_000
/** The rows that one batch removes at most: it holds the event loop. */
const MOST_REMOVED = 4_096
/** Rows of a channel that are read at once. */
const PAGE = 256

export const createOutboxTable = (db: DatabaseSync): void =>
  db.exec(
    'CREATE TABLE IF NOT EXISTS _outbox (seq INTEGER PRIMARY KEY, channel TEXT NOT NULL, message TEXT NOT NULL)',
  )

export type Outbox = ReturnType<typeof openOutbox>

/**
 * The outbox: a message is a row of the transaction that causes it, and a later transaction removes the row after
 * delivery. A `rebuilt` message has no row. The messages of one batch are delivered together, after its commit. Those that
 * `deliver` rejects wait in memory for a round: after a growing wait they are delivered again, together and then one by
 * one, so that one which always fails does not block the others. The first round, at the start, also reads the rows that
 * were left in the file, page by page. The order of deliveries is not that of the commits.
 */
export const openOutbox = ({ db, reader, clock, deliver, countWritten, writeSoon }: Needs) => {
  const insert = db.prepare('INSERT INTO _outbox VALUES (?, ?, ?)')
  const remove = db.prepare('DELETE FROM _outbox WHERE seq IN (SELECT value FROM json_each(?))')
  const select = reader.prepare(
    'SELECT * FROM _outbox WHERE channel = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
  )
  const channels = reader.prepare('SELECT DISTINCT channel FROM _outbox')
  let last = Number(db.prepare('SELECT max(seq) AS last FROM _outbox').get()?.last ?? 0)
  /** The last row that was committed before the start. */
  let lastLeft = last
  /** By channel, the last row that a round has read of those that were left. */
  const places = new Map<string, number>()

  let state: 'waiting' | 'running' | 'stopped' = 'waiting'
  /** The messages of the open batch. */
  let added: Outgoing[] = []
  /** The messages of the next round. */
  const undelivered: Outgoing[] = []
  let failedRounds = 0
  let isInRound = false
  let cancelRound: (() => void) | undefined
  const toRemove: number[] = []
  /** The rows that the open batch removes. */
  let removed: number[] = []
  let cancelRemoval: (() => void) | undefined
  const underWay = new Set<Promise<void>>()

  /** Writes the row of a message; returns its number. */
  const write = (message: Message): number => {
    last += 1
    const text = JSON.stringify(message)
    countWritten(text.length)
    insert.run(last, message.to, text)
    return last
  }

  const removeSoon = () => {
    cancelRemoval = undefined
    if (state === 'running') writeSoon()
  }

  /** Delivers messages together; resolves to whether it succeeded. Their rows are not needed any more. */
  const handOver = async (messages: readonly Outgoing[]): Promise<boolean> => {
    if (state !== 'running') return false
    try {
      if (messages.length > 0) await deliver?.(messages.map(({ message }) => message))
    } catch {
      return false
    }
    for (const { seq } of messages) if (seq !== undefined) toRemove.push(seq)
    if (toRemove.length > 0) cancelRemoval ??= clock.after(REMOVE_WITHIN_MS, removeSoon)
    return true
  }

  /** Delivers messages together, else one by one. */
  const offer = async (messages: readonly Outgoing[]): Promise<void> => {
    if (await handOver(messages)) return
    const offerAlone = async (one: Outgoing) => {
      if (messages.length === 1 || !(await handOver([one]))) undelivered.push(one)
    }
    await Promise.all(messages.map(offerAlone))
  }

  /** Delivers the rows of a channel that were left, page by page. */
  const offerLeft = async ([channel, place]: [string, number]): Promise<void> => {
    for (let from = place; state === 'running'; ) {
      const page = select.all(channel, from, lastLeft, PAGE).map(outgoing)
      if (page.length === 0) return void places.delete(channel)
      from = page.at(-1)?.seq ?? from
      places.set(channel, from)
      await offer(page)
    }
  }

  /** A failed read of the file is repeated by the next round. */
  const round = async (): Promise<void> => {
    isInRound = true
    await Promise.allSettled([offer(undelivered.splice(0)), ...[...places].map(offerLeft)])
    isInRound = false
    planRound()
  }

  const planRound = () => {
    if (state !== 'running' || isInRound || cancelRound !== undefined) return
    failedRounds = undelivered.length + places.size === 0 ? 0 : failedRounds + 1
    if (failedRounds === 0) return
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failedRounds - 1))
    cancelRound = clock.after(waitMs, () => {
      cancelRound = undefined
      during(round())
    })
  }

  const deliverNew = async (messages: readonly Outgoing[]): Promise<void> => {
    if (await handOver(messages)) return
    undelivered.push(...messages)
    planRound()
  }

  /** The end waits for the work. */
  const during = (work: Promise<void>) => {
    underWay.add(work)
    void work.then(() => underWay.delete(work))
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
    /** Begins to deliver, with what was committed before. */
    start: (): void => {
      if (state !== 'waiting' || deliver === undefined) return
      state = 'running'
      for (const { channel } of channels.all()) places.set(String(channel), 0)
      during(round())
    },
    /** Stops deliveries; resolves when running ones have ended. */
    stop: async (): Promise<void> => {
      state = 'stopped'
      cancelRemoval?.()
      cancelRound?.()
      await Promise.all(underWay)
    },
    /** Whether rows of delivered messages remain to be removed. */
    get hasToRemove() {
      return toRemove.length > 0
    },
    beforeCommit: (): void => {
      removed = toRemove.splice(0, MOST_REMOVED)
      if (removed.length > 0) remove.run(JSON.stringify(removed))
    },
    rolledBack: (): void => {
      added = []
      toRemove.push(...removed)
      removed = []
    },
    durable: (): void => {
      if (removed.length === MOST_REMOVED && toRemove.length > 0) writeSoon()
      removed = []
      const messages = added
      added = []
      if (state === 'running') during(deliverNew(messages))
      else {
        lastLeft = last
        if (deliver !== undefined) undelivered.push(...messages.filter(({ seq }) => seq === undefined))
      }
    },
  }
}

const outgoing = ({ seq, message }: Record<string, unknown>): Outgoing => ({
  message: JSON.parse(String(message)),
  seq: Number(seq),
})
