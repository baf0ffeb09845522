import { setImmediate } from 'node:timers/promises'
import { createParser } from 'eventsource-parser'
import { textPieces } from '../../core/cut-text.ts'
import { Problem } from '../../core/errors.ts'
import { parseStreamedJson } from '../../core/json.ts'
import { readRefusal, sendRequest } from './exchange.ts'
import { createStepLimits } from './step-limits.ts'
import {
  failedDocument,
  failedEvent,
  failureIn,
  lostConnection,
  tooLarge,
  unreadable,
  WireFailure,
} from './wire-failure.ts'
import { type Fields, fieldsIn, listIn, textIn } from './wire-fields.ts'
import { TextEvent, type WireReader } from './wires/reader.ts'

/** The most bytes of one answer, envelopes of its events included. */
const MOST_BYTES = 67_108_864
/** The most events of one answer: one for each token of the longest answers of models. */
const MOST_EVENTS = 200_000
/** The most events that are read in one turn of the event loop. */
const MOST_IN_GROUP = 128
/** The most bytes that are read, and passed on, in one turn of the event loop. */
const MOST_IN_TURN = 65_536
/** The most characters of a text in an event that is passed on. */
const LONGEST_TEXT = 16_384
/** When more events arrive together, the provider is faster than its reader: their texts are joined. */
const MOST_SEPARATE = 32
const LONGEST_EVENT = 4_194_304

/**
 * A fetch for a library that reads streamed answers of models. It reads the answer first: within the limits, an error as
 * the failure that it reports, and of each event only the fields that are known, in their documented types. So what a
 * provider adds to its protocol is ignored, as they ask for. Throws `WireFailure`s.
 */
export const createWire =
  (send: typeof fetch, reader: WireReader): typeof fetch =>
  async (input, init) => {
    const answer = await sendRequest(send, input, init)
    if (!answer.ok) throw await readRefusal(answer)
    const { status } = answer
    const events = ReadableStream.from(encodedEvents(readEvents(answer, reader)))
    return new Response(events, { status, headers: { 'content-type': 'text/event-stream' } })
  }

async function* encodedEvents(events: AsyncIterable<object>): AsyncGenerator<Uint8Array> {
  let sentInTurn = 0
  for await (const event of events) {
    const bytes = Buffer.from(`data: ${JSON.stringify(event)}\n\n`)
    sentInTurn += bytes.length
    yield bytes
    if (sentInTurn < MOST_IN_TURN) continue
    sentInTurn = 0
    await setImmediate()
  }
}

/** The text of an answer in pieces. */
async function* bodyTexts({ body }: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let bytesRead = 0
  let readInTurn = 0
  try {
    for await (const bytes of body ?? []) {
      bytesRead += bytes.length
      readInTurn += bytes.length
      if (bytesRead > MOST_BYTES) throw tooLarge('sent more than 64 MiB in one response')
      yield decoder.decode(bytes, { stream: true })
      // A provider that sends faster than it is read does not hold up the other work of the process.
      if (readInTurn < MOST_IN_TURN) continue
      readInTurn = 0
      await setImmediate()
    }
  } catch (thrown) {
    throw thrown instanceof WireFailure ? thrown : lostConnection(thrown)
  }
}

type NamedEvent = { name?: string | undefined; data: string }

/** The server-sent events of a text, in groups of those that arrive together, also one at its end without the empty line. */
async function* serverSentEvents(pieces: AsyncIterable<string>): AsyncGenerator<readonly NamedEvent[]> {
  const events: NamedEvent[] = []
  let isTooLong = false
  const parser = createParser({
    maxBufferSize: LONGEST_EVENT,
    onEvent: ({ event: name, data }) => {
      isTooLong ||= data.length > LONGEST_EVENT
      if (!isTooLong) events.push({ name, data })
    },
    onError: ({ type }) => {
      isTooLong ||= type === 'max-buffer-size-exceeded'
    },
  })
  for await (const piece of pieces) {
    parser.feed(piece)
    while (events.length > 0) yield events.splice(0, MOST_IN_GROUP)
    if (isTooLong) throw tooLarge('sent an event of more than 4 MiB')
  }
  parser.feed('\n\n')
  yield events
}

/** A whole text, within the limit of one event, as one. */
async function* documentEvent(pieces: AsyncIterable<string>): AsyncGenerator<readonly NamedEvent[]> {
  let data = ''
  for await (const piece of pieces) {
    data += piece
    if (data.length > LONGEST_EVENT) throw tooLarge('sent more than 4 MiB')
  }
  yield [{ data }]
}

/** The beginning of JSON or of a proxy's page, which is no event stream. */
const DOCUMENT = /^[\s\ufeff]*[{[<]/

/** A text whose first piece was taken. The rest ends with it, also before it is read. */
async function* withFirst(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    yield first
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}

/** The events of an answer. An answer that is no event stream is read as one event; its headers do not decide that. */
const openEvents = async (answer: Response) => {
  const pieces = bodyTexts(answer)
  let first = ''
  while (first.trim() === '') {
    const next = await pieces.next()
    if (next.done) break
    first = next.value
  }
  const all = withFirst(first, pieces)
  const isDocument = DOCUMENT.test(first)
  return { isDocument, groups: isDocument ? documentEvent(all) : serverSentEvents(all) }
}

/** Whether a text may be an event of a protocol. Others are signs of life of a proxy, or a page. */
const looksLikeJson = (text: string): boolean => /^[{["]/.test(text)
const DONE = /^\[done\]$/i

/** The objects of an event: a server that does not stream may send all of them as one list. */
const objectsIn = (data: string): readonly Fields[] => {
  try {
    const value = parseStreamedJson(data)
    return Array.isArray(value) ? listIn(value) : [fieldsIn(value)]
  } catch (thrown) {
    const isTooLarge = thrown instanceof Problem && thrown.kind === 'too_large'
    throw isTooLarge ? tooLarge('sent an event of too many values') : unreadable()
  }
}

function* separateEvents(events: Iterable<object>): Generator<object> {
  for (const event of events) yield* event instanceof TextEvent ? textEvents(event, event.text) : [event]
}

function* textEvents({ withText }: TextEvent, text: string): Generator<object> {
  if (text.length <= LONGEST_TEXT) yield withText(text)
  else for (const piece of textPieces(text, LONGEST_TEXT)) yield withText(piece)
}

/** The events, with texts that continue each other as one. */
function* withJoinedTexts(events: Iterable<object>): Generator<object> {
  let last: { event: TextEvent; texts: string[] } | undefined
  const joinedLast = () => (last ? textEvents(last.event, last.texts.join('')) : [])
  for (const event of events) {
    const isText = event instanceof TextEvent
    if (isText && event.key === last?.event.key) last.texts.push(event.text)
    else {
      yield* joinedLast()
      last = isText ? { event, texts: [event.text] } : undefined
      if (!isText) yield event
    }
  }
  yield* joinedLast()
}

/** The known events of an answer. Throws for one that reports a failure, or ends without the event that ends it. */
async function* readEvents(answer: Response, reader: WireReader): AsyncGenerator<object> {
  const { read, done, hasEnded } = reader(createStepLimits())
  const { isDocument, groups } = await openEvents(answer)
  let count = 0
  let last: Fields | undefined
  let hasOtherText = false

  const readEvent = ({ name = '', data }: NamedEvent): readonly object[] => {
    const text = data.trim()
    if (text === '') return []
    if (DONE.test(text)) return done?.(true) ?? []
    if (name === 'error') throw failedEvent(data)
    if (!looksLikeJson(text)) {
      hasOtherText = true
      return []
    }
    return objectsIn(data).flatMap((event) => {
      const failure = failureIn(event)
      if (failure) throw failure
      last = event
      return read(event, textIn(event.type) ?? name)
    })
  }

  function* known(group: readonly NamedEvent[]): Generator<object> {
    for (const event of group) {
      count += 1
      if (count > MOST_EVENTS) throw tooLarge(`sent more than ${MOST_EVENTS} events in one response`)
      yield* readEvent(event)
    }
  }

  for await (const group of groups) {
    yield* group.length > MOST_SEPARATE ? withJoinedTexts(known(group)) : separateEvents(known(group))
    if (group.length === MOST_IN_GROUP) await setImmediate()
  }
  yield* done?.(false) ?? []
  if (hasEnded()) return
  if (isDocument) throw failedDocument(last ?? {})
  if (hasOtherText && last === undefined) throw unreadable()
  throw new WireFailure('ended its response early', { reason: 'transport' })
}
