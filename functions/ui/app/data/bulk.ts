export type Failure = { id: string; reason: unknown }
export type Progress = { done: number; total: number; failures: readonly Failure[] }

const AT_ONCE = 4

/**
 * Runs an action for each id with limited concurrency, and reports progress after each. A failure does not stop the others; aborting the
 * signal skips the ones that have not started.
 */
export const inBulk = async (
  ids: readonly string[],
  act: (id: string) => Promise<unknown>,
  onProgress: (progress: Progress) => void,
  signal?: AbortSignal,
): Promise<void> => {
  const left = [...ids]
  const failures: Failure[] = []
  let done = 0
  const work = async () => {
    for (let id = left.shift(); id !== undefined && !signal?.aborted; id = left.shift()) {
      const one = id
      await act(one).catch((reason: unknown) => failures.push({ id: one, reason }))
      done += 1
      onProgress({ done, total: ids.length, failures: [...failures] })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}
