import { Problem } from './errors.ts'
import { DEEPEST, tooDeep } from './json.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN_LIST = 0x5b
const isSpace = (byte: number) => byte <= 0x20
const isOpening = (byte: number) => byte === 0x7b || byte === OPEN_LIST
const isClosing = (byte: number) => byte === 0x7d || byte === 0x5d

/** A range of bytes; `end` is exclusive. */
type Range = readonly [start: number, end: number]

type Bounds = { mostItems: number; mostBytesAround: number }

/** The text without the items of the list, the number of items, and the bytes of each item that was not taken. */
export type CutList = { around: Buffer; count: number; items(): Iterable<Buffer> }

/**
 * Cuts the items out of one list of a JSON object that comes in pieces. It reads each byte once and builds no values:
 * the caller parses the text around the list, then the items. Throws Problem `too_large` `too_many_items` or
 * `body_too_large`, and `invalid` `json_too_deep`, as soon as a piece exceeds the limit.
 */
export const createListCutter = (name: string, { mostItems, mostBytesAround }: Bounds) => {
  const wanted = Buffer.from(name)
  const spool = createSpool()
  const items: Range[] = []
  const around: Buffer[] = []
  let count = 0
  let depth = 0
  let isInString = false
  let isEscaped = false
  /** The number of bytes of the latest string that match the name; -1 after the first difference. */
  let matched = -1
  let isWantedNext = false
  let isInList = false
  let itemStart = -1
  let isItemDue = false
  let aroundStart = 0
  let aroundBytes = 0

  const inString = (byte: number): void => {
    if (!isEscaped && byte === QUOTE) {
      isInString = false
      return
    }
    isEscaped = !isEscaped && byte === BACKSLASH
    matched = matched >= 0 && byte === wanted[matched] ? matched + 1 : -1
  }

  const endItem = (end: number): void => {
    if (count === mostItems) throw tooManyItems(name, mostItems)
    count += 1
    items.push(itemStart < 0 ? [end, end] : [itemStart, end])
    itemStart = -1
  }

  const beginList = (at: number): void => {
    isInList = true
    isItemDue = false
    around.push(spool.read([aroundStart, at + 1]))
    aroundBytes += at + 1 - aroundStart
  }

  const endList = (at: number): void => {
    if (isItemDue || itemStart >= 0) endItem(at)
    isInList = false
    aroundStart = at
  }

  /** Reads a byte that is inside the list and outside of an item. */
  const betweenItems = (byte: number, at: number): void => {
    if (byte === COMMA) {
      endItem(at)
      isItemDue = true
    } else if (isClosing(byte)) endList(at)
    else if (itemStart < 0) itemStart = at
  }

  const outsideString = (byte: number, at: number): void => {
    if (isInList && depth === 2) betweenItems(byte, at)
    else if (depth === 1 && isWantedNext && byte === OPEN_LIST) beginList(at)
    isWantedNext = depth === 1 && byte === COLON && matched === wanted.length
    if (byte === QUOTE) {
      isInString = true
      matched = 0
    } else if (isOpening(byte)) depth += 1
    else if (isClosing(byte)) depth -= 1
    if (depth > DEEPEST) throw tooDeep()
  }

  return {
    push: (piece: Buffer): void => {
      const start = spool.add(piece)
      for (let at = 0; at < piece.length; at++) {
        const byte = piece[at] ?? 0
        if (isInString) inString(byte)
        else if (!isSpace(byte)) outsideString(byte, start + at)
      }
      const open = isInList ? 0 : spool.size() - aroundStart
      if (aroundBytes + open > mostBytesAround) throw tooMuchAround(name, mostBytesAround)
    },

    /** The text before the list, with its bracket; empty until the list begins. */
    before: (): Buffer => Buffer.concat(around.slice(0, 1)),

    /** The items that are complete and were not taken before. Their bytes are freed, so a text may be of any size. */
    take: (): Buffer[] => {
      const taken = items.splice(0).map(spool.read)
      if (!isInList) spool.drop(aroundStart)
      else spool.drop(itemStart < 0 ? spool.size() : itemStart)
      return taken
    },

    end: (): CutList => {
      const rest: Range[] = isInList ? [] : [[aroundStart, spool.size()]]
      return {
        around: Buffer.concat([...around, ...rest.map(spool.read)]),
        count,
        *items() {
          for (const range of items) yield spool.read(range)
        },
      }
    },
  }
}

/** Stores pieces, to be read again by their position in the whole text. Reading forwards finds each piece at once. */
const createSpool = () => {
  const pieces: { start: number; bytes: Buffer }[] = []
  let size = 0
  let current = 0
  const pieceStart = (index: number) => pieces[index]?.start ?? size

  return {
    size: () => size,
    add: (bytes: Buffer): number => {
      const start = size
      pieces.push({ start, bytes })
      size += bytes.length
      return start
    },
    /** Frees the pieces that end before a position. */
    drop: (place: number): void => {
      let gone = 0
      while (gone < pieces.length && pieceStart(gone + 1) <= place) gone += 1
      pieces.splice(0, gone)
      current = 0
    },
    read: ([start, end]: Range): Buffer => {
      if (start < pieceStart(current)) current = 0
      while (pieceStart(current + 1) <= start && current < pieces.length) current += 1
      const parts: Buffer[] = []
      for (let index = current; pieceStart(index) < end && index < pieces.length; index++) {
        const from = pieceStart(index)
        parts.push(pieces[index]?.bytes.subarray(Math.max(0, start - from), end - from) ?? Buffer.alloc(0))
      }
      const [only] = parts
      return only && parts.length === 1 ? only : Buffer.concat(parts)
    },
  }
}

const tooManyItems = (name: string, most: number) =>
  new Problem(
    'too_large',
    'too_many_items',
    `The list ${name} has more than ${most} items. Split it into several requests`,
  )

const tooMuchAround = (name: string, most: number) =>
  new Problem('too_large', 'body_too_large', `The body has more than ${most} bytes besides the list ${name}`)
