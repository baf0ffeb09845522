import { Problem } from '../core/errors.ts'
import type { AccountAccess } from '../oauth/schema.ts'
import type { TrackerName, Trackers } from '../ports/tracker.ts'
import type { ReadTicket } from './needs.ts'

type Needs = { trackers: Trackers; access: Pick<AccountAccess, 'readerFor' | 'validToken'> }

const READ_MS = 5_000

const isTracker = (trackers: Trackers, name: string): name is TrackerName => Object.hasOwn(trackers, name)

/** Reads tickets by the user's linked account, so that a user sees no more than the provider allows. */
export const createReadTicket =
  ({ trackers, access }: Needs): ReadTicket =>
  async ({ userId }, provider, sourceId) => {
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
