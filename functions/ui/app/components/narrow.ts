import { useSyncExternalStore } from 'react'

const query = matchMedia('(max-width: 767px)')

const subscribe = (listener: () => void) => {
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

/** Whether the screen is that of a phone, as `md:` has it. */
export const useNarrow = () => useSyncExternalStore(subscribe, () => query.matches)
