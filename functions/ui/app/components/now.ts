import { useEffect, useState } from 'react'
import { serverNow } from '../data/server-clock.ts'

const FRAME_MS = 250

/** Now by the clock of the server, moving while something runs. */
export const useNow = (isRunning: boolean): number => {
  const [now, setNow] = useState(serverNow)
  useEffect(() => {
    setNow(serverNow())
    if (!isRunning) return
    const timer = setInterval(() => setNow(serverNow()), FRAME_MS)
    return () => clearInterval(timer)
  }, [isRunning])
  return now
}
