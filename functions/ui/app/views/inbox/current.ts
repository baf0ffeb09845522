import { useState } from 'react'

/**
 * The item that is open, and its setter: the one that the address names or that was last chosen, else `otherwise`. It stays, also once it
 * is decided, as long as it is in the list.
 */
export const useCurrent = (
  meant: string | undefined,
  otherwise: string | undefined,
  isListed: (key: string) => boolean,
) => {
  const [current, setCurrent] = useState(meant)
  const [last, setLast] = useState(meant)
  if (meant !== last) {
    setLast(meant)
    if (meant !== undefined) setCurrent(meant)
  }
  const isThere = current !== undefined && isListed(current)
  if (!isThere && otherwise !== undefined && meant === last) setCurrent(otherwise)
  return [isThere ? current : otherwise, setCurrent] as const
}
