import { type ReactNode, useState } from 'react'
import { Problem } from './problem.tsx'

type Props = { query: { error: unknown; refetch: () => unknown }; children: ReactNode }

/**
 * In place of what has not come yet: `children` at first, and from the first failure on what keeps it from coming. That
 * stays while it is asked again, or it would come and go.
 */
export const NotYet = ({ query: { error, refetch }, children }: Props) => {
  const [last, setLast] = useState(error)
  if (error && error !== last) setLast(error)
  return last ? <Problem error={last} onRetry={() => void refetch()} /> : children
}
