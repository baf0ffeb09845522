/** A message on its way into a queue, as a request names it. */
export type Entry = { Id: string; MessageBody: string; MessageGroupId?: string; DelaySeconds?: number }

/**
 * Which message a fair queue hands out next, after what AWS documents of SQS: a message of the group that has the fewest
 * in flight, and among those the oldest. One without a group is a group of its own.
 */
export const createFairOrder = () => {
  const waiting = new Map<string, Entry[]>()
  const inFlight = new Map<string, number>()
  const messageGroup = ({ MessageGroupId, MessageBody }: Entry) => MessageGroupId ?? MessageBody
  const flying = (group: string) => inFlight.get(group) ?? 0

  return {
    put: (entry: Entry): void => {
      const group = messageGroup(entry)
      const others = waiting.get(group)
      if (others) others.push(entry)
      else waiting.set(group, [entry])
    },
    /** The next one, from now on in flight. */
    next: (): Entry | undefined => {
      // A map keeps its keys in the order of their first messages, and `reduce` the first of equals.
      const groups = [...waiting.keys()]
      if (groups.length === 0) return undefined
      const group = groups.reduce((least, other) => (flying(other) < flying(least) ? other : least))
      const [entry, ...rest] = waiting.get(group) ?? []
      if (rest.length > 0) waiting.set(group, rest)
      else waiting.delete(group)
      inFlight.set(group, flying(group) + 1)
      return entry
    },
    /** It was handled. */
    done: (entry: Entry): void => void inFlight.set(messageGroup(entry), flying(messageGroup(entry)) - 1),
  }
}
