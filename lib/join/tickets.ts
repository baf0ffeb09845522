import type { ReadTicket } from '../chat/context.ts'
import { Problem } from '../core/errors.ts'
import type { AccountAccess } from '../oauth/schema.ts'
import type { TrackerName, Trackers } from '../ports/tracker.ts'

type Needs = { trackers: Trackers; access: Pick<AccountAccess, 'readerOf' | 'tokenOf'> }

/** A turn does not wait for longer. */
const READ_MS = 5_000

const isTracker = (trackers: Trackers, name: string): name is TrackerName => Object.hasOwn(trackers, name)

/** Reads tickets by the account that a user linked, so that nobody sees more than the provider lets him. */
export const createReadTicket =
  ({ trackers, access }: Needs): ReadTicket =>
  async ({ userId }, provider, sourceId) => {
    if (!isTracker(trackers, provider)) return undefined
    const account = await access.readerOf(userId, provider)
    const token = account && (await access.tokenOf(account.id, provider))
    if (account === undefined || token === undefined) return undefined
    const { id: _id, ...of } = account
    try {
      return await trackers[provider].read({
        as: { ...of, token },
        issue: { id: sourceId },
        timeoutMs: READ_MS,
      })
    } catch (thrown) {
      if (thrown instanceof Problem && thrown.kind === 'missing') return undefined
      throw thrown
    }
  }
