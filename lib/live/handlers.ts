import { eventStream, eventText } from '../http/event-stream.ts'
import type { Handlers } from '../http/route.ts'
import type { Clock } from '../ports/clock.ts'
import type { liveRoutes } from './contract.ts'
import type { Live, LiveEvent } from './service.ts'

type Needs = { live: Live; clock: Clock }

export const liveHandlers = ({ live, clock }: Needs): Handlers<typeof liveRoutes> => ({
  followEvents: async ({ query, headers }, { principal, gone }) => {
    const after = headers['last-event-id'] ?? query.after ?? ''
    // An event, since `EventSource` hides comments: a page could not tell a service that hangs from one without changes.
    const heartbeat = () => eventText({ type: 'heartbeat', data: {}, timestamp: clock.now() })
    return eventStream(clock, await live.follow(principal, after, gone()), textOf, heartbeat)
  },
})

const textOf = ({ id, type, data, timestamp }: LiveEvent): string =>
  eventText({ type, data, timestamp }, { id })
