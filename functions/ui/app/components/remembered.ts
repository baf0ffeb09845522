import { useRouterState } from '@tanstack/react-router'
import { useRef, useState } from 'react'

/** What entries of the browser's history had when they were left: Back finds it, a link begins anew. */
const savedValues = new Map<string, unknown>()

/** A value of a view that Back brings back with it, such as how far it was scrolled. */
export const useRemembered = <T>(name: string, initial: T) => {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const entry = useRouterState({ select: ({ location }) => location.state.__TSR_key ?? '' })
  // While the next view is on its way the address is its own already.
  const [own] = useState(path)
  const key = useRef('')
  if (path === own) key.current = `${entry} ${name}`
  const [memory] = useState(() => ({
    read: (): T => (savedValues.get(key.current) as T | undefined) ?? initial,
    write: (value: T) => void savedValues.set(key.current, value),
  }))
  return memory
}
