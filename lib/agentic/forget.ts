import { iso } from '../core/time.ts'
import type { Feed } from '../feed/feed.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import { type AgentSessionRow, agentSessions, toStreamName } from './rows.ts'
import { isOver } from './schema.ts'

type Needs = { store: Store; feed: Pick<Feed, 'remove'>; clock: Pick<Clock, 'now'> }

type Forgotten = { removed: number; isDone: boolean }

/** Removes the sessions of a deleted conversation with their events; cancels running sessions first. */
export const createForgetSessions = ({ store, feed, clock }: Needs) => {
  const stop = ({ id }: AgentSessionRow) =>
    store.commit<AgentSessionRow>({
      update: agentSessions,
      key: id,
      when: { status: 'running', cancelRequestedAt: null },
      set: { cancelRequestedAt: iso(clock.now()) },
    })

  /** The row of a session is removed after its events: a later call finds it when this one dies in between. */
  const forget = async ({ id }: AgentSessionRow, most: number): Promise<number> => {
    const events = await feed.remove(toStreamName(id), most)
    if (events >= most) return events
    await store.commit<AgentSessionRow>({ remove: agentSessions, key: id })
    return events + 1
  }

  return async (conversationId: string, most: number): Promise<Forgotten> => {
    const selection = { index: 'ofConversation', is: conversationId, order: 'asc', limit: most } as const
    const { rows, next } = await store.page(agentSessions, selection)
    const running = rows.filter(({ status }) => !isOver(status))
    for (const session of running) await stop(session)
    let removed = 0
    for (const session of rows) {
      if (running.includes(session)) continue
      removed += await forget(session, most - removed)
      if (removed >= most) return { removed, isDone: false }
    }
    return { removed, isDone: running.length === 0 && next === undefined }
  }
}
