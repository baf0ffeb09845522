import type { DatabaseSync } from 'node:sqlite'
import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { Problem } from '../../core/errors.ts'
import { openExecution, type WriteBatch, type Writer } from './write-batch.ts'
import type { ThreadAnswer } from './writer-thread.ts'

/** Writes on the calling thread and the given connection: for `:memory:`, which no other connection can see. */
export const openInlineWriter = (db: DatabaseSync): Writer => {
  const execute = openExecution(db)
  return {
    run: async (batch) => execute(batch),
    close: async () => undefined,
  }
}

/**
 * Starts a thread with its own size of the young generation, in megabytes. `--max-semi-space-size` on the command line
 * would override it: V8 reads the flag for each new heap. So the flag is reset to 0 for this thread and all later ones;
 * the main thread's heap exists and keeps its size. Node warns about flags that change while V8 runs
 * (https://nodejs.org/api/v8.html#v8setflagsfromstringflags); this one only sizes new heaps.
 */
export const startThread = (program: URL, workerData: unknown, maxYoungGenerationSizeMb: number): Worker => {
  setFlagsFromString('--max-semi-space-size=0')
  return new Worker(program, { workerData, resourceLimits: { maxYoungGenerationSizeMb } })
}

/** The thread holds one batch at a time. A small young generation stays in the cache of its core. */
const YOUNG_MB = 4

const stopped = (cause?: unknown) =>
  new Problem('unavailable', 'storage_unavailable', 'Storage is unavailable: its writer has stopped.', {
    cause,
  })

/** Writes on its own thread (`writer-thread.ts`), so that the event loop never waits for a disk. */
export const openThreadWriter = (file: string, onLost?: (reason: unknown) => void): Writer => {
  const thread = startThread(new URL('./writer-thread.ts', import.meta.url), { file }, YOUNG_MB)
  // The thread answers in the order of requests.
  const asked: { resolve: () => void; reject: (reason: unknown) => void }[] = []
  let over: unknown
  let closing = false
  const end = (reason: unknown) => {
    if (over === undefined && !closing) onLost?.(reason)
    over ??= reason
    for (const { reject } of asked.splice(0)) reject(over)
  }
  thread.on('message', (answer: ThreadAnswer) => {
    const next = asked.shift()
    if (answer === undefined) next?.resolve()
    else next?.reject(Object.assign(new Error(answer.message), answer))
  })
  thread.on('error', (thrown) => end(stopped(thrown)))
  thread.on('exit', () => end(stopped()))
  const ask = (message: WriteBatch | 'close') =>
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
