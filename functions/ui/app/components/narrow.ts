import { useSyncExternalStore } from 'react'

const query = matchMedia('(max-width: 767px)')

const subscribe = (listener: () => void) => {
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

/** True below the `md:` breakpoint. */
export const useNarrow = () => useSyncExternalStore(subscribe, () => query.matches)
