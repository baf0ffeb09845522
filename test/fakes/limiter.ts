import type { Limiter } from '../../lib/limits/limiter.ts'

/** Lets every call pass. */
export const unlimited: Limiter = {
  take: async () => 0,
  takeAll: async () => 0,
  giveBack: async () => undefined,
}
