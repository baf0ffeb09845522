import { CatchBoundary, type ErrorComponentProps } from '@tanstack/react-router'
import { type ReactNode, Suspense, useCallback, useEffect, useRef } from 'react'
import { checkConnection, isConnected } from '../data/connection.ts'
import { NotLoaded } from './lazy.tsx'

const NAME = 'reloaded-at'
const PAUSE_MS = 10_000

/** Loads the page anew, once in a while only: where that does not help it would do nothing else. */
const reloadOnce = () => {
  if (mayReload()) location.reload()
}

const mayReload = () => {
  try {
    const last = Number(sessionStorage.getItem(NAME) ?? 0)
    if (Date.now() - last < PAUSE_MS) return false
    sessionStorage.setItem(NAME, String(Date.now()))
    return true
  } catch {
    // Storage is switched off: nothing would keep it from reloading for ever.
    return false
  }
}

type Props = {
  /** What the part shows: another one is given a new try. */
  resetKey: string
  failed: (props: ErrorComponentProps) => ReactNode
  loading?: ReactNode
  children: ReactNode
}

/** Keeps a failure of a part of the page, or of loading its code, inside of that part. */
export const Boundary = ({ resetKey, failed, loading, children }: Props) => (
  <CatchBoundary getResetKey={() => resetKey} errorComponent={failed}>
    <Suspense fallback={loading}>{children}</Suspense>
  </CatchBoundary>
)

/**
 * Loads the code that did not come and draws the part again. Code that a service which answers does not have was replaced
 * by a deployment, or the browser remembers the failure: a new page has the new names.
 */
const recover = async (error: unknown, reset: () => void) => {
  if (!(error instanceof NotLoaded)) return reset()
  if (!(await checkConnection())) return
  await error.again().then(reset, reloadOnce)
}

/**
 * For what stands in place of a part that failed: tries again when the connection comes back, and code that did not come
 * at once, since the connection may be back already. Returns the try for a button.
 */
export const useRecovery = ({ error, reset }: ErrorComponentProps): (() => void) => {
  const connected = isConnected.use()
  const wasConnected = useRef(connected)
  const retry = useCallback(() => void recover(error, reset), [error, reset])
  useEffect(() => {
    const isBack = connected && !wasConnected.current
    wasConnected.current = connected
    if (isBack || (connected && (error as unknown) instanceof NotLoaded)) retry()
  }, [connected, error, retry])
  return retry
}
