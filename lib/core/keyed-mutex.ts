/** Runs the work of one key in the order of the calls, one at a time; work of other keys does not wait. */
type KeyedMutex = <T>(key: string, work: () => Promise<T>) => Promise<T>

export const createKeyedMutex = (): KeyedMutex => {
  const tails = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const before = tails.get(key)
    const run = before === undefined ? work() : before.then(work, work)
    tails.set(key, run)
    const leave = () => {
      if (tails.get(key) === run) tails.delete(key)
    }
    run.then(leave, leave)
    return run
  }
}
