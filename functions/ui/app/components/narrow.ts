import { useSyncExternalStore } from 'react'

const createMatch = (condition: string) => {
  const query = matchMedia(condition)
  const subscribe = (listener: () => void) => {
    query.addEventListener('change', listener)
    return () => query.removeEventListener('change', listener)
  }
  return () => useSyncExternalStore(subscribe, () => query.matches)
}

/** True below the `md:` breakpoint. */
export const useNarrow = createMatch('(max-width: 767px)')
/** True where the sections of Settings fit beside the open one, from the `lg:` breakpoint on. */
export const useSectionsBeside = createMatch('(min-width: 1024px)')
/** True where two columns of code fit side by side. */
export const useWide = createMatch('(min-width: 1200px)')
