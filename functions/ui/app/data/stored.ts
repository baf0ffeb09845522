import { createSignal } from './signal.ts'

const read = (name: string): unknown => {
  try {
    return JSON.parse(localStorage.getItem(name) ?? 'null')
  } catch {
    return null
  }
}

const write = (name: string, value: unknown) => {
  try {
    if (value === undefined) localStorage.removeItem(name)
    else localStorage.setItem(name, JSON.stringify(value))
  } catch {
    // Without storage the value lasts until the page is closed.
  }
}

type Fits<T> = (value: unknown) => value is T

/** A signal that is saved in local storage. Open tabs do not follow each other; a new tab starts with the last value that was saved. Stored values that do not fit are ignored. */
export const createStored = <T>(name: string, initial: T, fits: Fits<T>) => {
  const stored = read(name)
  const signal = createSignal<T>(fits(stored) ? stored : initial)
  const set = (value: T) => {
    signal.set(value)
    write(name, value)
  }
  return { ...signal, set }
}

/** Like `createStored`, for a value that several tabs change: it follows the other tabs, and `update` changes the latest saved value. */
export const createShared = <T>(name: string, initial: T, fits: Fits<T>) => {
  const { get, set, subscribe, use } = createSignal<T>(initial)
  // If storage is unavailable, each tab keeps its own value.
  const latest = (): T => {
    const stored = read(name)
    return fits(stored) ? stored : get()
  }
  const follow = () => set(latest())
  follow()
  // Unit tests have no window. A page restored from the back/forward cache has missed storage events.
  for (const type of ['storage', 'pageshow']) globalThis.addEventListener?.(type, follow)
  const update = (change: (value: T) => T) => {
    const value = change(latest())
    set(value)
    write(name, value)
  }
  return { get: latest, subscribe, use, update }
}
