import type { Store } from '../../lib/ports/store.ts'

/** A storage that tells when it has nothing left to do, for tests whose clock stands still meanwhile. */
export const watchStore = (store: Store) => {
  let underWay = 0
  const counted = new Proxy(store, {
    get: (of, name) => {
      const verb = Reflect.get(of, name)
      if (typeof verb !== 'function') return verb
      return async (...given: unknown[]) => {
        underWay += 1
        try {
          return await Reflect.apply(verb, of, given)
        } finally {
          underWay -= 1
        }
      }
    },
  })
  /** Resolves when storage has answered all, and nothing more came of it. */
  const quiet = async () => {
    for (let calm = 0; calm < 5; calm = underWay === 0 ? calm + 1 : 0)
      await new Promise((resolve) => setTimeout(resolve, 1))
  }
  return { store: counted, quiet }
}
