import { useEffect, useState } from 'react'
import { formatDuration } from './time.ts'

const SECOND_MS = 1_000

/** Epoch milliseconds; Infinity without an expiry. */
export const expiresAtMs = (at: string | undefined): number =>
  at === undefined ? Number.POSITIVE_INFINITY : Date.parse(at)

/** Milliseconds left, updated each second; 0 once it has passed. */
export const useCountdown = (until: number): number => {
  const [now, setNow] = useState(() => Date.now())
  const isOver = now >= until
  const isEndless = until === Number.POSITIVE_INFINITY
  useEffect(() => {
    if (isOver || isEndless) return
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS)
    return () => clearInterval(timer)
  }, [isOver, isEndless])
  return Math.max(0, until - now)
}

/** `4:07` */
export const formatClock = (ms: number): string => {
  const seconds = Math.ceil(ms / SECOND_MS)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

const HOUR_MS = 3_600 * SECOND_MS

/** A clock within the last hour, a duration before that. */
export const formatTimeLeft = (ms: number): string => (ms < HOUR_MS ? formatClock(ms) : formatDuration(ms))
