import { setFlagsFromString } from 'node:v8'
import { Worker } from 'node:worker_threads'

/**
 * Starts a thread with a young generation of its own size, in megabytes. `--max-semi-space-size` of the command line would
 * overrule that: V8 reads the flag for each heap that it makes. So it is set back to 0, not given, for this thread and all
 * that are started later; the main thread's heap is there by then and keeps its size. Node warns of flags that change
 * while V8 runs (https://nodejs.org/api/v8.html#v8setflagsfromstringflags); this one only sizes new heaps.
 */
export const startThread = (program: URL, workerData: unknown, maxYoungGenerationSizeMb: number): Worker => {
  setFlagsFromString('--max-semi-space-size=0')
  return new Worker(program, { workerData, resourceLimits: { maxYoungGenerationSizeMb } })
}
