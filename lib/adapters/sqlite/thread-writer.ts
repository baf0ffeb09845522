import { Problem } from '../../core/errors.ts'
import type { Writer } from './script.ts'
import { startThread } from './thread.ts'
import type { Answer } from './writer-thread.ts'

type Asked = { resolve: () => void; reject: (reason: unknown) => void }

const stopped = (cause?: unknown) =>
  new Problem('unavailable', 'storage_unavailable', 'Storage is unavailable: its writer has stopped.', {
    cause,
  })

/** The thread holds little: a script at a time. A small young generation keeps it in the cache of its core. */
const YOUNG_MB = 4

/** Writes on a thread of its own, so that the event loop never waits for a disk. */
export const openThreadWriter = (file: string, onLost?: (reason: unknown) => void): Writer => {
  const thread = startThread(new URL('./writer-thread.ts', import.meta.url), { file }, YOUNG_MB)
  // The thread answers in the order it was asked.
  const asked: Asked[] = []
  let over: unknown
  let closing = false
  const end = (reason: unknown) => {
    if (over === undefined && !closing) onLost?.(reason)
    over ??= reason
    for (const { reject } of asked.splice(0)) reject(over)
  }
  thread.on('message', (answer: Answer) => {
    const next = asked.shift()
    if (answer === undefined) next?.resolve()
    else next?.reject(Object.assign(new Error(answer.message), answer))
  })
  thread.on('error', (thrown) => end(stopped(thrown)))
  thread.on('exit', () => end(stopped()))
  const ask = (message: unknown) =>
    new Promise<void>((resolve, reject) => {
      if (over !== undefined) return reject(over)
      asked.push({ resolve, reject })
      thread.postMessage(message)
    })
  return {
    run: ask,
    close: async () => {
      closing = true
      await ask('close')
      await thread.terminate()
    },
  }
}
