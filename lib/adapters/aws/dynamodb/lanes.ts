/** Runs work of one name in the order it came, each after the end of the one before; other names do not wait. */
export const createLanes = () => {
  const tails = new Map<string, Promise<unknown>>()
  return <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const before = tails.get(name)
    const run = before === undefined ? work() : before.then(work, work)
    tails.set(name, run)
    const leave = () => {
      if (tails.get(name) === run) tails.delete(name)
    }
    run.then(leave, leave)
    return run
  }
}
