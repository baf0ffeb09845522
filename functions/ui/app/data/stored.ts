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
    // A browser that stores nothing has it until the page is closed.
  }
}

/** A value that this browser keeps. What was stored and does not fit any more is as if it were not there. */
export const createStored = <T>(name: string, initial: T, fits: (value: unknown) => value is T) => {
  const stored = read(name)
  const signal = createSignal<T>(fits(stored) ? stored : initial)
  const set = (value: T) => {
    signal.set(value)
    write(name, value)
  }
  return { ...signal, set }
}
