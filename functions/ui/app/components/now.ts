import { useEffect, useState } from 'react'
import { isConnected } from '../data/connection.ts'
import { serverNow } from '../data/server-clock.ts'

const FRAME_MS = 250

/** The server's time, ticking while `isRunning`. It stops while the service is unreachable: the state of a run is unknown then. */
export const useNow = (isRunning: boolean): number => {
  const [now, setNow] = useState(serverNow)
  const isThere = isConnected.use()
  useEffect(() => {
    if (!isThere) return
    setNow(serverNow())
    if (!isRunning) return
    const timer = setInterval(() => setNow(serverNow()), FRAME_MS)
    return () => clearInterval(timer)
  }, [isRunning, isThere])
  return now
}
