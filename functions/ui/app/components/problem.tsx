import type { ReactNode } from 'react'
import { ApiError } from '../../../../lib/api/api-error.ts'
import { Button } from './button.tsx'
import { ErrorCode } from './error-code.tsx'

/** Tells nothing but where to look. */
const isFault = (error: ApiError): boolean => error.status === 500 && error.requestId !== undefined

export const errorMessage = (error: unknown): string => {
  if (error instanceof ApiError)
    return isFault(error)
      ? `Something went wrong. The service log has details under ${error.requestId}`
      : error.message
  return error instanceof TypeError ? 'The service cannot be reached' : String(error)
}

const errorAdvice = (error: unknown): string => {
  if (!(error instanceof ApiError)) return 'Retrying automatically.'
  if (error.status === 403) return 'Ask an admin, or check the address of the service.'
  if (error.status === 404) return 'It may have been deleted, or the address is wrong.'
  if (error.status === 429) return 'Too many requests. Wait a moment, then try again.'
  return error.requestId && !isFault(error)
    ? `See request ${error.requestId} in the service log.`
    : 'Try again.'
}

/** Errors of proxies have no documented code. */
const isOurs = (error: unknown): error is ApiError =>
  error instanceof ApiError && !error.code.startsWith('http_')

type ProblemProps = {
  error: unknown
  advice?: string
  onRetry?: () => void
  /** What leads on where trying again does not. */
  action?: ReactNode
}

export const Problem = ({ error, advice = errorAdvice(error), onRetry, action }: ProblemProps) => (
  <div role="alert" className="flex flex-col items-start gap-1 p-4">
    <p className="font-medium text-destructive">{errorMessage(error)}</p>
    <p className="text-muted-foreground">
      {advice} {isOurs(error) && <ErrorCode code={error.code} />}
    </p>
    {onRetry && (
      <Button className="mt-2" onClick={onRetry}>
        Try again
      </Button>
    )}
    {action && <div className="mt-2">{action}</div>}
  </div>
)
