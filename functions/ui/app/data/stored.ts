import { createSignal } from './signal.ts'

/** `null` for what is no JSON. */
const parsed = (text: string | null): unknown => {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    return null
  }
}

const read = (name: string): unknown => {
  try {
    return parsed(localStorage.getItem(name))
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

/**
 * A signal in local storage. Stored values that do not fit are ignored. It follows what other tabs write, unless `isOfTab`: then the tab that
 * wrote last is the one that the next tab begins with.
 */
export const createStored = <T>(
  name: string,
  initial: T,
  fits: (value: unknown) => value is T,
  { isOfTab = false } = {},
) => {
  const fitting = (value: unknown): T => (fits(value) ? value : initial)
  const signal = createSignal<T>(fitting(read(name)))
  const follow = ({ key, newValue }: StorageEvent) => {
    // Without a key all was removed.
    if (key === name || key === null) signal.set(fitting(parsed(newValue)))
  }
  // Unit tests have no window.
  if (!isOfTab) globalThis.addEventListener?.('storage', follow)
  const set = (value: T) => {
    signal.set(value)
    write(name, value)
  }
  return { ...signal, set }
}
