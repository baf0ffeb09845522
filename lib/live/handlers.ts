import { createOpenStream, eventText, type OpenStreams } from '../http/event-stream.ts'
import type { Handlers } from '../http/route.ts'
import type { Clock } from '../ports/clock.ts'
import type { liveRoutes } from './contract.ts'
import type { Live } from './service.ts'

type Needs = { live: Live; clock: Clock; openStreams: OpenStreams }

export const liveHandlers = ({ live, clock, openStreams }: Needs): Handlers<typeof liveRoutes> => {
  const openStream = createOpenStream({ clock, openStreams })
  return {
    followEvents: ({ query, headers }, call) => {
      const after = headers['last-event-id'] ?? query.after ?? ''
      // An event, since `EventSource` hides comments: a page could not tell a service that hangs from one without changes.
      const heartbeat = () => eventText({ type: 'heartbeat', data: {}, timestamp: clock.now() })
      return openStream(call, (reader) => live.follow(call.principal, after, reader), {
        toText: ({ id, type, data, timestamp }) => eventText({ type, data, timestamp }, { id }),
        heartbeat,
        isResumable: true,
      })
    },
  }
}
