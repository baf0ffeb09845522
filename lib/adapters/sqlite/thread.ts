import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'

/**
 * Starts a thread with a young generation of its own size, in megabytes. Flags of the command line count for all threads
 * and overrule such limits, so they are taken back: the main thread has read them by now, and keeps to them.
 */
export const startThread = (program: URL, workerData: unknown, maxYoungGenerationSizeMb: number): Worker => {
  setFlagsFromString('--max-semi-space-size=0')
  return new Worker(program, { workerData, resourceLimits: { maxYoungGenerationSizeMb } })
}
