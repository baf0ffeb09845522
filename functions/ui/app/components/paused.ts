import { useEffect, useState } from 'react'

const PAUSE_MS = 150

/** What is typed, once the typing has paused. */
export const usePaused = (text: string, pauseMs = PAUSE_MS): string => {
  const [paused, setPaused] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text, pauseMs])
  return paused
}
