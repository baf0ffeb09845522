import { useSyncExternalStore } from 'react'

/** A value outside of the component tree, which components subscribe to by `use`. */
export const createSignal = <T>(initial: T) => {
  let value = initial
  const listeners = new Set<() => void>()
  const get = () => value
  const set = (next: T) => {
    if (Object.is(next, value)) return
    value = next
    for (const listener of listeners) listener()
  }
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return { get, set, subscribe, use: () => useSyncExternalStore(subscribe, get) }
}
