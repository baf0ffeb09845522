import { writeSync } from 'node:fs'
import { getHeapSpaceStatistics } from 'node:v8'
import { isMainThread, parentPort } from 'node:worker_threads'
import { startThread } from '../../../../lib/adapters/sqlite/writer.ts'

/** Makes garbage until the young generation has grown as far as it may; how many megabytes that is. */
const grown = (): number => {
  let kept: unknown[] = []
  for (let n = 0; n < 2_000_000; n += 1) {
    kept.push([n])
    if (kept.length > 20_000) kept = []
  }
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
  return Math.round((young?.space_size ?? 0) / 1_048_576)
}

/** Prints how far the young generation of a thread limited to 4 MB grew, and then that of this one. */
if (isMainThread)
  startThread(new URL(import.meta.url), undefined, 4).once('message', (thread) =>
    writeSync(1, `${thread} ${grown()}\n`),
  )
else parentPort?.postMessage(grown())
