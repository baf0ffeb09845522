const CHUNK = 1_024

type Chunk<T> = { items: (T | undefined)[]; next: Chunk<T> | undefined }

/** A list that is filled at one end and emptied at the other; both ends are O(1). */
type Fifo<T> = {
  readonly size: number
  peek(): T | undefined
  push(item: T): void
  shift(): T | undefined
}

/**
 * An empty list: a chain of chunks, so that no length is ever copied, and what has been taken out is free for
 * collection a chunk at a time.
 */
export const createFifo = <T>(): Fifo<T> => {
  let first: Chunk<T> = chunk()
  let last = first
  // Where to read in the first chunk, and where to write in the last.
  let from = 0
  let to = 0
  let size = 0
  return {
    get size() {
      return size
    },
    peek: () => first.items[from],
    push(item) {
      if (to === CHUNK) {
        last.next = chunk()
        last = last.next
        to = 0
      }
      last.items[to++] = item
      size += 1
    },
    shift() {
      if (size === 0) return undefined
      const item = first.items[from]
      // A slot that was read must not keep its item alive until the whole chunk is done.
      first.items[from++] = undefined
      size -= 1
      if (size === 0) from = to = 0
      else if (from === CHUNK && first.next) {
        first = first.next
        from = 0
      }
      return item
    },
  }
}

const chunk = <T>(): Chunk<T> => ({ items: new Array(CHUNK), next: undefined })
