import { Problem } from '../core/errors.ts'
import type { Actor } from '../core/principal.ts'
import type { AccountAccess } from '../oauth/schema.ts'
import type { TrackerName, Trackers, TrackerTicket } from '../ports/tracker.ts'

type Needs = { trackers: Trackers; access: Pick<AccountAccess, 'readerFor' | 'validToken'> }

const READ_MS = 5_000

const isTracker = (trackers: Trackers, name: string): name is TrackerName => Object.hasOwn(trackers, name)

export type ReadTicket = ReturnType<typeof createReadTicket>

/**
 * Reads tickets by the user's linked account, so that a user sees no more than the provider allows; undefined without
 * such an account or ticket.
 */
export const createReadTicket =
  ({ trackers, access }: Needs) =>
  async ({ userId }: Actor, provider: string, sourceId: string): Promise<TrackerTicket | undefined> => {
    if (!isTracker(trackers, provider)) return undefined
    const account = await access.readerFor(userId, provider)
    const token = account && (await access.validToken(account.id, provider))
    if (account === undefined || token === undefined) return undefined
    const { id: _id, ...of } = account
    const issue = { id: sourceId }
    try {
      return await trackers[provider].read({ as: { ...of, token }, issue, timeoutMs: READ_MS })
    } catch (thrown) {
      if (thrown instanceof Problem && thrown.kind === 'missing') return undefined
      throw thrown
    }
  }
