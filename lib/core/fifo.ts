const CHUNK = 1_024

type Chunk<T> = { items: (T | undefined)[]; next: Chunk<T> | undefined }

/** A queue in memory: items enter at one end and leave at the other, each in O(1). */
type Fifo<T> = {
  readonly size: number
  peek(): T | undefined
  push(item: T): void
  shift(): T | undefined
}

/** An empty queue. It is a chain of chunks: growth copies nothing, and a chunk is freed when its items have left. */
export const createFifo = <T>(): Fifo<T> => {
  let first: Chunk<T> = chunk()
  let last = first
  // The read index in the first chunk, and the write index in the last one.
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
      // Frees the item before the whole chunk is done.
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
