import { useCallback, useEffect, useRef, useState } from 'react'
import { cutText } from '../../../../lib/core/cut-text.ts'
import { watchedFetch } from './connection.ts'

export type Request = {
  method: string
  url: string
  headers: Readonly<Record<string, string>>
  body?: string
}
export type Answer = { status: number; type: string; requestId: string; text: string; isWhole: boolean }

/** Longer responses are cut, and their streams cancelled. */
const MOST_CHARACTERS = 200_000

/** Sends a request with the session of the page, and reports the response as it arrives. */
const call = async ({ url, ...init }: Request, signal: AbortSignal, onAnswer: (answer: Answer) => void) => {
  const response = await watchedFetch(url, { ...init, signal })
  const facts = {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    requestId: response.headers.get('x-request-id') ?? '',
  }
  let text = ''
  onAnswer({ ...facts, text, isWhole: false })
  const pieces = response.body?.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
  const reader = pieces?.getReader()
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) {
    text += read.value
    onAnswer({ ...facts, text: cutText(text, MOST_CHARACTERS), isWhole: false })
    if (text.length > MOST_CHARACTERS) return reader?.cancel()
  }
  onAnswer({ ...facts, text, isWhole: true })
}

/** One call at a time. `stop` and unmounting abort it. */
export const useTryCall = () => {
  const [answer, setAnswer] = useState<Answer>()
  const [error, setError] = useState<unknown>()
  const [isRunning, setRunning] = useState(false)
  const running = useRef<AbortController>(undefined)
  const stop = useCallback(() => running.current?.abort(), [])
  useEffect(() => stop, [stop])
  const send = async (request: Request) => {
    stop()
    const own = new AbortController()
    running.current = own
    setAnswer(undefined)
    setError(undefined)
    setRunning(true)
    await call(request, own.signal, setAnswer).catch((thrown) => {
      if (!own.signal.aborted) setError(thrown)
    })
    if (running.current === own) setRunning(false)
  }
  return { answer, error, isRunning, send, stop }
}
