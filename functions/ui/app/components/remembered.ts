import { useRouterState } from '@tanstack/react-router'
import { useRef, useState } from 'react'

/** Values by history entry: Back restores them, a link starts fresh. */
const savedValues = new Map<string, unknown>()

/** A value that Back restores, such as the scroll position. */
export const useRemembered = <T>(name: string, initial: T) => {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const entry = useRouterState({ select: ({ location }) => location.state.__TSR_key ?? '' })
  // During navigation the location already belongs to the next view.
  const [own] = useState(path)
  const key = useRef('')
  if (path === own) key.current = `${entry} ${name}`
  const [memory] = useState(() => ({
    read: (): T => (savedValues.get(key.current) as T | undefined) ?? initial,
    write: (value: T) => void savedValues.set(key.current, value),
  }))
  return memory
}
