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

/** A signal in local storage. Stored values that do not fit are ignored. */
export const createStored = <T>(name: string, initial: T, fits: (value: unknown) => value is T) => {
  const stored = read(name)
  const signal = createSignal<T>(fits(stored) ? stored : initial)
  const set = (value: T) => {
    signal.set(value)
    write(name, value)
  }
  return { ...signal, set }
}
