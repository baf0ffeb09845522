/**
 * Collects what is asked for within one turn of the event loop and does it by one call of `all`, whose answers are in
 * the order of the items. A failed call fails each of its items.
 */
export const batched = <In, Out>(all: (items: In[]) => Promise<Out[]>): ((item: In) => Promise<Out>) => {
  type Waiting = { item: In; done: (out: Out) => void; fail: (error: unknown) => void }
  let waiting: Waiting[] = []
  const flush = async () => {
    const batch = waiting
    waiting = []
    try {
      const outs = await all(batch.map(({ item }) => item))
      batch.forEach(({ done }, i) => {
        done(outs[i] as Out)
      })
    } catch (error) {
      for (const { fail } of batch) fail(error)
    }
  }
  return (item) =>
    new Promise((done, fail) => {
      if (waiting.push({ item, done, fail }) === 1) setImmediate(flush)
    })
}
