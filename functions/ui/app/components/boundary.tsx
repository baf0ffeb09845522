import { CatchBoundary, type ErrorComponentProps } from '@tanstack/react-router'
import { type ReactNode, Suspense, useCallback, useEffect, useRef } from 'react'
import { checkConnection, isConnected } from '../data/connection.ts'
import { NotLoaded } from './lazy.tsx'

const NAME = 'reloaded-at'
const PAUSE_MS = 10_000

/** Reloads at most once per interval, to avoid a loop. */
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
  /** A different key resets the error. */
  resetKey: string
  failed: (props: ErrorComponentProps) => ReactNode
  loading?: ReactNode
  children: ReactNode
}

/** Contains render errors and failed code loads of its children. */
export const Boundary = ({ resetKey, failed, loading, children }: Props) => (
  <CatchBoundary getResetKey={() => resetKey} errorComponent={failed}>
    <Suspense fallback={loading}>{children}</Suspense>
  </CatchBoundary>
)

/**
 * Loads the missing code and renders again. When the service answers but lacks the file, a deployment replaced it or the browser cached the
 * failure, so the page is reloaded.
 */
const recover = async (error: unknown, reset: () => void) => {
  if (!(error instanceof NotLoaded)) return reset()
  if (!(await checkConnection())) return
  await error.again().then(reset, reloadOnce)
}

/** Retries when the connection returns, and once at mount for code that failed to load. Returns the retry for a button. */
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
