/** `order` numbers messages in the order of sending. */
type Message<Body> = {
  readonly body: Body
  readonly priority: number
  readonly order: number
  readonly owner: string
}
type Served = (owner: string, priority: number) => number

/**
 * The position of each message asked for in the order of service, from 1, while nothing else is sent. Within a priority the
 * owners take turns; `served` gives the turn in which one got a message of it last.
 */
export const positionsAmong = <Body>(
  messages: readonly Message<Body>[],
  isAsked: (body: Body) => boolean,
  served: Served,
): Map<Body, number> => {
  const positions = new Map<Body, number>()
  if (!messages.some(({ body }) => isAsked(body))) return positions
  let before = 0
  for (const priority of [1, 2, 3, 4]) {
    const equals = messages.filter((message) => message.priority === priority)
    const asked = equals.filter(({ body }) => isAsked(body))
    if (asked.length > 0) {
      const owners = Map.groupBy(
        equals.sort((a, b) => a.order - b.order),
        ({ owner }) => owner,
      )
      for (const message of asked) positions.set(message.body, before + positionIn(owners, message, served))
    }
    before += equals.length
  }
  return positions
}

/** A message behind `ahead` of its owner waits for as many of each other owner, and one more where their turn is first. */
const positionIn = <Body>(
  owners: ReadonlyMap<string, readonly Message<Body>[]>,
  message: Message<Body>,
  served: Served,
): number => {
  const { owner: ownName, priority } = message
  const own = owners.get(ownName) ?? []
  const ahead = own.indexOf(message)
  let position = ahead + 1
  for (const [owner, others] of owners) {
    if (owner === ownName) continue
    const turns =
      served(owner, priority) - served(ownName, priority) || (others[0]?.order ?? 0) - (own[0]?.order ?? 0)
    position += Math.min(others.length, turns < 0 ? ahead + 1 : ahead)
  }
  return position
}
