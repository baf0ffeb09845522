import * as z from 'zod'

/** Users of the system by their numbers, from `first` to `last`; a group of the same number belongs to each. */
type UidRange = { first: number; last: number }

/** Below are the system's own users, and the highest number is none. */
const LEAST = 1_000
const MOST = 4_294_967_293
/** Linux shows users of other namespaces as the first, and the second is none in 16 bits. */
const RESERVED = [65_534, 65_535]
/** One user is for commands without a workspace. */
const LEAST_USERS = 2

/** Two numbers with a hyphen between them. Those of the default are unused on systems with systemd (https://systemd.io/UIDS-GIDS/). */
export const agentUids = z
  .string()
  .default('60578-61183')
  .transform((given, context): UidRange => {
    const [, from, to] = /^\s*(\d{1,10})\s*-\s*(\d{1,10})\s*$/.exec(given) ?? []
    const [first, last] = [Number(from), Number(to)]
    const why = ((): string | undefined => {
      if (from === undefined || to === undefined) return 'must be two numbers, such as 60578-61183'
      if (first < LEAST || last > MOST) return `must be between ${LEAST} and ${MOST}`
      if (last - first + 1 < LEAST_USERS) return `must have at least ${LEAST_USERS} users`
      if (RESERVED.some((uid) => first <= uid && uid <= last)) return 'must not contain 65534 or 65535'
      return undefined
    })()
    if (why !== undefined) context.addIssue({ code: 'custom', message: why })
    return { first, last }
  })
