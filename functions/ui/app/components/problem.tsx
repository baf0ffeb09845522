import { ApiError } from '../../../../lib/api/api-error.ts'
import { Button } from './button.tsx'
import { ErrorCode } from './error-code.tsx'

export const errorMessage = (error: unknown): string => {
  if (error instanceof ApiError) return error.message
  return error instanceof TypeError ? 'The service cannot be reached' : String(error)
}

const errorAdvice = (error: unknown): string => {
  if (!(error instanceof ApiError)) return 'It is asked again as soon as there is a connection.'
  if (error.status === 403) return 'This needs an admin, or another address of the service.'
  if (error.status === 404) return 'It may have been removed; the address may be wrong.'
  if (error.status === 429) return 'Too many requests: wait a moment.'
  return error.requestId ? `Request ${error.requestId} is in the log of the service.` : 'Try it again.'
}

/** Errors of proxies have no documented code. */
const isOurs = (error: unknown): error is ApiError =>
  error instanceof ApiError && !error.code.startsWith('http_')

type ProblemProps = { error: unknown; advice?: string; onRetry?: () => void }

export const Problem = ({ error, advice = errorAdvice(error), onRetry }: ProblemProps) => (
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
  </div>
)
