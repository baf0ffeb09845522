import { missing } from '../core/errors.ts'
import { countedPage, type PageQuery } from '../core/page.ts'
import type { Principal } from '../core/principal.ts'
import type { Store } from '../ports/store.ts'
import { type SessionRow, sessions as sessionRows } from './rows.ts'
import type { Session } from './schema.ts'
import type { Sessions } from './sessions.ts'

type Needs = {
  store: Store
  sessions: Pick<Sessions, 'end' | 'closeAll'>
  audit: (principal: Principal, action: string, details?: object) => Promise<void>
}

export type OwnSessions = ReturnType<typeof createOwnSessions>

/** Lists and ends the sessions of a user; no other user sees them. */
export const createOwnSessions = ({ store, sessions, audit }: Needs) => {
  const list = async ({ userId, sessionId }: Principal, query: PageQuery) => {
    const selection = { index: 'ofUser', is: userId } as const
    const { rows, facts } = await countedPage(query, `sessions:${userId}`, {
      page: (range) => store.page(sessionRows, { ...selection, order: 'desc', ...range }),
      count: () => store.count(sessionRows, selection),
    })
    return { sessions: rows.map((row) => toSession(row, sessionId)), ...facts }
  }

  /** Ends one of the caller's sessions. Throws Problem `missing` `session_not_found` for any other. */
  const end = async (principal: Principal, id: string): Promise<void> => {
    const row = id.startsWith(PREFIX) ? await store.get(sessionRows, id.slice(PREFIX.length)) : undefined
    if (row?.userId !== principal.userId || !(await sessions.end(row, principal))) throw missing('Session')
    await audit(principal, 'session.end', { id })
  }

  const endOthers = async (principal: Principal): Promise<void> => {
    const { userId, sessionId: except } = principal
    await sessions.closeAll(userId, { devices: { by: principal }, except })
    await audit(principal, 'session.end-others')
  }

  return { list, end, endOthers }
}

/** The rest of the id is the hash of the token, the key of the row; it cannot be used to sign in. */
const PREFIX = 'session_'

const toSession = (
  { id, createdAt, lastSeenAt = createdAt, userAgent, deviceId }: Readonly<SessionRow>,
  current: string | undefined,
): Session => ({ id: PREFIX + id, createdAt, lastSeenAt, userAgent, deviceId, current: id === current })
