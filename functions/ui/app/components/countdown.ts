import { useEffect, useState } from 'react'

const SECOND_MS = 1_000

/** How long it is until a moment, anew each second; 0 once it is there. */
export const useCountdown = (until: number): number => {
  const [now, setNow] = useState(() => Date.now())
  const isOver = now >= until
  useEffect(() => {
    if (isOver) return
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS)
    return () => clearInterval(timer)
  }, [isOver])
  return Math.max(0, until - now)
}

/** As on a clock: `4:07`. */
export const clockOf = (ms: number): string => {
  const seconds = Math.ceil(ms / SECOND_MS)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
