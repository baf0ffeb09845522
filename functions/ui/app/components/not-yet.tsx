import { type ReactNode, useState } from 'react'
import { Problem } from './problem.tsx'

type Props = { query: { error: unknown; refetch: () => unknown }; children: ReactNode }

/** Shows `children` until the first failure, then the error. The error stays during retries, so that it does not flicker. */
export const NotYet = ({ query: { error, refetch }, children }: Props) => {
  const [last, setLast] = useState(error)
  if (error && error !== last) setLast(error)
  return last ? <Problem error={last} onRetry={() => void refetch()} /> : children
}
