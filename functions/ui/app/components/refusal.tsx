import { type ReactNode, useState } from 'react'
import { ApiError } from '../../../../lib/api/api-error.ts'
import { formatClock, useCountdown } from './countdown.ts'
import { fieldErrors } from './field-errors.ts'
import { errorMessage } from './problem.tsx'

type Props = {
  error: unknown
  /** Errors of these fields are shown at the fields, not here. */
  fields?: readonly string[]
  children?: ReactNode
}

/** The error of a form. A 429 shows a countdown to the next try. */
export const Refusal = ({ error, fields = [], children }: Props) => {
  if (!error || Object.keys(fieldErrors(error)).some((name) => fields.includes(name))) return null
  const waitMs = error instanceof ApiError && error.status === 429 ? error.retryAfterMs : undefined
  return (
    <div role="alert" className="rounded-md border border-failed/40 bg-failed/8 px-3 py-2 text-destructive">
      {waitMs === undefined ? errorMessage(error) : <Wait key={String(error)} waitMs={waitMs} />}
      {children}
    </div>
  )
}

const Wait = ({ waitMs }: { waitMs: number }) => {
  const [until] = useState(() => Date.now() + waitMs)
  const left = useCountdown(until)
  return left === 0 ? (
    'You can try again now.'
  ) : (
    <>
      Too many attempts. Try again in <time>{formatClock(left)}</time>.
    </>
  )
}
