/** Something made for each key that is in use; the last user puts it away. */
export const createKeyed = <T>(make: () => T) => {
  const inUse = new Map<string, { made: T; users: number }>()
  return async <R>(key: string, use: (made: T) => Promise<R>): Promise<R> => {
    const entry = inUse.get(key) ?? { made: make(), users: 0 }
    inUse.set(key, entry)
    entry.users += 1
    try {
      return await use(entry.made)
    } finally {
      entry.users -= 1
      if (entry.users === 0) inUse.delete(key)
    }
  }
}
