import { cutTexts, shortenedText, textPieces } from '../core/cut-text.ts'
import { errorMessage, Problem } from '../core/errors.ts'
import type { Masker } from '../core/masker.ts'
import { createPushReader } from '../core/push-reader.ts'
import { retry } from '../core/retry.ts'
import type { StreamMasker } from '../core/stream-masker.ts'
import type { Feed, FeedDraft } from '../feed/feed.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import { eventId, KEEP_MS, toStreamName } from './rows.ts'
import type { EmitEvent, SessionEvent } from './schema.ts'

/** The most events that a reader may fall behind: then it is disconnected, and continues with `Last-Event-ID`. */
const MOST_BEHIND = 10_000
const MOST_CHARACTERS = 4_000_000

/** Consecutive deltas of these types are stored as one event, under the id of the last. */
const JOINED: ReadonlySet<string> = new Set(['content', 'thinking:update'])
/** The size of events in memory that causes a write to storage. */
const MOST_UNSTORED = 64_000
/** Below this length the characters of a text are counted as its bytes. */
const SHORT_TEXT = 1_000
const LONGEST_TEXT = 20_000
/** An event of more bytes is stored and sent with its plain values only: an append takes 256 kB. */
const LARGEST_EVENT = 80_000
const MOST_IN_APPEND = 500

type Delta = { text: string; [more: string]: unknown }
type Unstored = { -readonly [Field in keyof SessionEvent]: SessionEvent[Field] }

type Needs = { feed: Pick<Feed, 'append'>; clock: Clock; log: Log; masker: Masker }

export type SessionRun = ReturnType<typeof createSessionRun>

/**
 * Sends events to the readers in this process at once, and to storage in batches: at the end of a step, when the batch is
 * large, and on request. Every event is in `unstored`, `storing` or the feed, and moves in this order. So a reader misses
 * no event when it copies the first two before it reads the feed.
 */
export const createSessionRun = ({ feed, clock, log, masker }: Needs, sessionId: string, run: number) => {
  const readers = new Set<ReturnType<typeof createPushReader<SessionEvent>>>()
  /** The masker and latest delta of each type: events of an agent that an operator added may have secrets. */
  const streams = new Map<string, { masker: StreamMasker; last: Delta }>()
  let count = 0
  let unstored: Unstored[] = []
  let unstoredSize = 0
  let storing: readonly Unstored[] = []
  let stored: Promise<void> = Promise.resolve()
  // An earlier run of the session may have stored events.
  let hasStored = run > 1
  let readerLeftAt = clock.now()
  let isClosed = false
  /** All events are stored. Until then a new reader waits: otherwise it would reconnect without a pause. */
  let isOver = false

  /** Sends a delta up to a possible beginning of a secret; the rest comes with the next delta or event. */
  const emitDelta = (type: string, data: Delta) => {
    const stream = streams.get(type) ?? { masker: masker.stream(), last: data }
    stream.last = data
    streams.set(type, stream)
    for (const text of textPieces(stream.masker.push(data.text), LONGEST_TEXT))
      publish(type, { ...data, text })
  }

  const flushMasked = () => {
    for (const [type, stream] of streams) {
      const text = stream.masker.flush()
      if (text !== '') publish(type, { ...stream.last, text })
    }
  }

  const addUnstored = (event: SessionEvent, size: number) => {
    const last = unstored.at(-1)
    unstoredSize += size
    if (last === undefined || !isContinued(last, event)) unstored.push({ ...event })
    else {
      const { text } = event.data as Delta
      last.data = { ...last.data, text: (last.data as Delta).text + text }
      last.id = event.id
    }
  }

  /** One event that is too large for an append does not lose those beside it. */
  const append = async (drafts: readonly FeedDraft[]): Promise<void> => {
    try {
      await retry(() => feed.append(toStreamName(sessionId), drafts, { ttlMs: KEEP_MS }), clock)
    } catch (thrown) {
      if (!(thrown instanceof Problem) || thrown.kind !== 'too_large') throw thrown
      const { message: reason } = thrown
      if (drafts.length === 1)
        return log.error({ sessionId, reason }, 'an event of an agent session was not stored')
      const half = Math.ceil(drafts.length / 2)
      await append(drafts.slice(0, half))
      await append(drafts.slice(half))
    }
  }

  const store = async () => {
    if (unstored.length === 0) return
    storing = unstored
    unstored = []
    unstoredSize = 0
    try {
      for (const part of appendParts(storing)) await append(part)
      hasStored = true
    } catch (thrown) {
      // The run continues: readers in this process have the events, later readers miss them.
      log.error({ sessionId, reason: errorMessage(thrown) }, 'events of an agent session were not stored')
    }
    storing = []
  }

  const flush = () => {
    stored = stored.then(store)
    return stored
  }

  const publish = (type: string, data: object) => {
    count += 1
    const event = { id: eventId(run, count), type, data, timestamp: clock.now() }
    const size = eventSize(data)
    for (const reader of readers) reader.push(event, size)
    addUnstored(event, size)
    if (unstoredSize > MOST_UNSTORED || type === 'step:complete') void flush()
  }

  const emit: EmitEvent = (type, data) => {
    if (isClosed) return
    if (JOINED.has(type)) return emitDelta(type, data as Delta)
    flushMasked()
    publish(type, bounded(cutTexts(masker.data(data), shortened) as object))
  }

  return {
    emit,
    /** Stores the events in memory. Never rejects. */
    flush,
    /** Stores the remaining events; readers end after the last event. */
    close: async (): Promise<void> => {
      isClosed = true
      await flush()
      isOver = true
      for (const reader of readers) reader.end()
    },
    /**
     * The events that are not stored yet, then new ones. `leave` removes the reader. Without `hasStored` the stored stream
     * is still empty.
     */
    read: () => {
      const reader = createPushReader<SessionEvent>(MOST_BEHIND, MOST_CHARACTERS)
      const events = [...storing, ...unstored].map((event) => ({ ...event }))
      if (isOver) reader.end()
      else readers.add(reader)
      const leave = () => {
        reader.end()
        if (readers.delete(reader)) readerLeftAt = clock.now()
      }
      return { hasStored: hasStored || storing.length > 0, unstored: events, reader, leave }
    },
    /** When the last reader left: infinite while there is one. */
    get readUntil() {
      return readers.size > 0 ? Number.POSITIVE_INFINITY : readerLeftAt
    },
  }
}

/** Whether an event is stored as one with the event before it. */
const isContinued = (last: Unstored, event: SessionEvent): boolean => {
  if (!JOINED.has(event.type) || last.type !== event.type) return false
  return (last.data as Delta).text.length + (event.data as Delta).text.length <= LONGEST_TEXT
}

/** The approximate bytes of an event as JSON; those of long values are exact, since a character may take six. */
const eventSize = (data: object): number => {
  let size = 60
  for (const value of Object.values(data)) {
    const isShort = typeof value === 'string' && value.length < SHORT_TEXT
    size += isShort ? value.length : Buffer.byteLength(JSON.stringify(value) ?? '')
  }
  return size
}

const shortened = (text: string) => shortenedText(text, LONGEST_TEXT)

const bounded = (data: object): object => {
  if (eventSize(data) <= LARGEST_EVENT) return data
  const plain = Object.entries(data).filter(([, value]) => typeof value !== 'object')
  return { ...Object.fromEntries(plain), truncated: true }
}

/** Splits events into appends of the feed, limited in number and size. */
const appendParts = (events: readonly SessionEvent[]): FeedDraft[][] => {
  const parts: FeedDraft[][] = [[]]
  let size = 0
  for (const { id, type, data, timestamp } of events) {
    const next = eventSize(data)
    const last = parts.at(-1) as FeedDraft[]
    if (last.length > 0 && (size + next > MOST_UNSTORED || last.length >= MOST_IN_APPEND)) {
      parts.push([])
      size = 0
    }
    parts.at(-1)?.push({ type, id, data: { timestamp, data } })
    size += next
  }
  return parts
}
