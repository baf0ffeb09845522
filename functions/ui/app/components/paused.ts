import { useEffect, useState } from 'react'

const PAUSE_MS = 150

/** The value after a pause in typing. */
export const usePaused = (text: string, pauseMs = PAUSE_MS): string => {
  const [paused, setPaused] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text, pauseMs])
  return paused
}
