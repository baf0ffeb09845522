/**
 * Puts calls off to the end of the turn of the event loop that they come in, and then makes them one right after the
 * other. What many requests at once have to go through is then done for all of them step by step, since their promises
 * take turns, and the code of each step stays in the cache of the processor. Calls must not throw.
 */
export const createBatch = (): ((call: () => void) => void) => {
  let waiting: (() => void)[] = []
  const callAll = () => {
    const calls = waiting
    waiting = []
    for (const call of calls) call()
  }
  return (call) => {
    if (waiting.push(call) === 1) setImmediate(callAll)
  }
}
