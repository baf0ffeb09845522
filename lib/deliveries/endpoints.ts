import type { Endpoints } from './schema.ts'

/** The endpoints of several kinds of owners, each of which knows its own. */
export const anyOf = (...kinds: readonly Endpoints[]): Endpoints => ({
  of: async (owner) => {
    for (const kind of kinds) {
      const endpoint = await kind.of(owner)
      if (endpoint !== undefined) return endpoint
    }
    return undefined
  },
  isFailing: async (owner) => {
    for (const kind of kinds) if (await kind.isFailing(owner)) return true
    return false
  },
  onLost: async (owner) => (await Promise.all(kinds.map((kind) => kind.onLost(owner)))).flat(),
  onSent: async (sent) => {
    for (const kind of kinds) await kind.onSent(sent)
  },
})
