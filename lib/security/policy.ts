import { createContention } from '../core/contention.ts'
import { Problem } from '../core/errors.ts'
import type { Actor } from '../core/principal.ts'
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
  /** The longest age of a cached policy: Infinity where no other process can change it. */
  staleAfterMs: number
}

type PolicyChange = { [Name in keyof Policy]?: Policy[Name] | undefined }

const NOTHING: PolicyRow = { id: POLICY_ID, version: 0, values: {} }
const BUSY_MS = 1_000

export type PolicyService = ReturnType<typeof createPolicy>

/** The policy of tools in this installation, which admins change while the service runs. */
export const createPolicy = ({ store, clock, entropy, audit, staleAfterMs }: Needs) => {
  const contend = createContention({ timer: clock, entropy })
  let row = NOTHING
  let readAt: number | undefined
  let reading: Promise<void> | undefined

  const known = (): Policy => ({ ...defaultPolicy, ...row.values })

  const hold = (next: PolicyRow) => {
    row = next
    readAt = clock.monotonic()
  }

  const load = async () => {
    const stored = (await store.get(policyRows, POLICY_ID)) ?? NOTHING
    // Reads may overtake each other: an earlier read must not replace the result of a later one.
    if (stored.version >= row.version) hold(stored)
  }

  const current = async (): Promise<Policy> => {
    if (readAt !== undefined && clock.monotonic() - readAt < staleAfterMs) return known()
    reading ??= load().finally(() => {
      reading = undefined
    })
    await reading
    return known()
  }

  const write = (given: Partial<Policy>) =>
    contend(async () => {
      await load()
      const next = { ...row, version: row.version + 1, values: { ...row.values, ...given } }
      const { version, values } = next
      const { applied } = await store.commit<PolicyRow>(
        row.version === 0
          ? { insert: policyRows, row: next }
          : {
              update: policyRows,
              key: POLICY_ID,
              when: { version: row.version },
              set: { version, values },
            },
      )
      if (!applied) return undefined
      hold(next)
      return known()
    })

  return {
    /** The policy as it was last read. */
    known,
    /** The policy, read again when the cached one is too old. */
    current,
    /** Reads the policy from storage. */
    latest: async (): Promise<Policy> => {
      await load()
      return known()
    },
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
