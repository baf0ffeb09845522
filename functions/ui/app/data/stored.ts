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

/** A signal in local storage, of this tab: another one begins with what was written last. Stored values that do not fit are ignored. */
export const createStored = <T>(name: string, initial: T, fits: Fits<T>) => {
  const stored = read(name)
  const signal = createSignal<T>(fits(stored) ? stored : initial)
  const set = (value: T) => {
    signal.set(value)
    write(name, value)
  }
  return { ...signal, set }
}

/** As `createStored`, for a value that several tabs change: it follows what they write, and each change is made to the latest. */
export const createShared = <T>(name: string, initial: T, fits: Fits<T>) => {
  const { get, set, subscribe, use } = createSignal<T>(initial)
  // Without storage the tab has its own.
  const latest = (): T => {
    const stored = read(name)
    return fits(stored) ? stored : get()
  }
  const follow = () => set(latest())
  follow()
  // Unit tests have no window. A page that is shown again has missed events.
  for (const type of ['storage', 'pageshow']) globalThis.addEventListener?.(type, follow)
  const update = (change: (value: T) => T) => {
    const value = change(latest())
    set(value)
    write(name, value)
  }
  return { get: latest, subscribe, use, update }
}
