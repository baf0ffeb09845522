import { createContention } from '../core/contention.ts'
import { Problem } from '../core/errors.ts'
import type { Actor } from '../core/principal.ts'
import { createRowCache, versionedWrite } from '../core/versioned-row.ts'
import type { Clock } from '../ports/clock.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Store } from '../ports/store.ts'
import { POLICY_ID, type PolicyRow, policyRows } from './rows.ts'
import { defaultPolicy, type Policy } from './schema.ts'

type Needs = {
  store: Store
  clock: Clock
  entropy: Entropy
  audit: (actor: Actor, action: string, details: object) => Promise<void>
  /** Whether other processes change the policy too: then it is read for each decision. */
  isShared: boolean
}

type PolicyChange = { [Name in keyof Policy]?: Policy[Name] | undefined }

const NOTHING: PolicyRow = { id: POLICY_ID, version: 0, values: {} }
const BUSY_MS = 1_000

export type PolicyService = ReturnType<typeof createPolicy>

/** The policy of tools in this installation, which admins change while the service runs. */
export const createPolicy = ({ store, clock, entropy, audit, isShared }: Needs) => {
  const contend = createContention({ timer: clock, entropy })
  const cache = createRowCache<PolicyRow>({
    read: () => store.get(policyRows, POLICY_ID),
    first: NOTHING,
    clock,
    staleAfterMs: Number.POSITIVE_INFINITY,
  })

  const known = (): Policy => ({ ...defaultPolicy, ...cache.row().values })

  const current = async (): Promise<Policy> => {
    await (isShared ? cache.load() : cache.refresh())
    return known()
  }

  const write = (given: Partial<Policy>) =>
    contend(async () => {
      await cache.load()
      const before = cache.row()
      const next = { ...before, version: before.version + 1, values: { ...before.values, ...given } }
      const { applied } = await store.commit<PolicyRow>(versionedWrite(policyRows, before, next))
      if (!applied) return undefined
      cache.put(next)
      return known()
    })

  return {
    /** The policy as it was last read. */
    known,
    /** The policy with every change that was answered before the call. */
    current,
    /** Changes the given fields. Throws Problem `unavailable` `policy_busy` when other writers win every time. */
    change: async (actor: Actor, change: PolicyChange): Promise<Policy> => {
      const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
      if (Object.keys(given).length === 0) return current()
      const changed = await write(given)
      if (changed === undefined) throw busy()
      await audit(actor, 'policy.change', given)
      return changed
    },
  }
}

const busy = () =>
  new Problem('unavailable', 'policy_busy', 'Others are changing the policy: try again', {
    retryAfterMs: BUSY_MS,
  })
