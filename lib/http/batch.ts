/**
 * Puts calls off to the end of the turn of the event loop that they come in, and then makes them one right after the
 * other. What many requests at once have to go through is then done for all of them step by step, since their promises
 * take turns. That is measurably quicker than one request after the other, most likely because the code of a step is still
 * in the cache of the processor when the next request comes to it. Calls must not throw.
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
