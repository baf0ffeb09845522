/** A binary min-heap: the item that precedes all others comes out first; `push` and `pop` are O(log n). */
type Heap<T> = {
  readonly size: number
  /** All items, in no particular order. */
  readonly items: readonly T[]
  peek(): T | undefined
  push(item: T): void
  pop(): T | undefined
}

/** An empty heap. `precedes` must be a strict order; items of which neither precedes come out in any order. */
export const createHeap = <T>(precedes: (a: T, b: T) => boolean): Heap<T> => {
  const items: T[] = []
  return {
    get size() {
      return items.length
    },
    items,
    peek: () => items[0],
    push(item) {
      items.push(item)
      rise(items, precedes)
    },
    pop() {
      const first = items[0]
      const last = items.pop()
      if (items.length > 0) sink(items, precedes, last as T)
      return first
    },
  }
}

// In both loops every index lies below `items.length`, hence the casts.

const rise = <T>(items: T[], precedes: (a: T, b: T) => boolean): void => {
  let at = items.length - 1
  const item = items[at] as T
  while (at > 0) {
    const parent = (at - 1) >> 1
    if (!precedes(item, items[parent] as T)) break
    items[at] = items[parent] as T
    at = parent
  }
  items[at] = item
}

/** Puts `item` in the place of the first and moves it down to its own. */
const sink = <T>(items: T[], precedes: (a: T, b: T) => boolean, item: T): void => {
  let at = 0
  for (let child = 1; child < items.length; child = 2 * at + 1) {
    if (child + 1 < items.length && precedes(items[child + 1] as T, items[child] as T)) child += 1
    if (!precedes(items[child] as T, item)) break
    items[at] = items[child] as T
    at = child
  }
  items[at] = item
}
