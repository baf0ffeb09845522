import { busyError } from '../core/contention.ts'
import { definedFields } from '../core/defined-fields.ts'
import type { Actor } from '../core/principal.ts'
import { createVersionedRow } from '../core/versioned-row.ts'
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

export type PolicyService = ReturnType<typeof createPolicy>

/** The policy of tools in this installation, which admins change while the service runs. */
export const createPolicy = ({ audit, isShared, ...needs }: Needs) => {
  const cached = createVersionedRow<PolicyRow>(needs, {
    of: policyRows,
    first: NOTHING,
    busy: () => busyError('policy_busy', 'Someone else is changing the policy. Try again'),
  })

  const known = (): Policy => ({ ...defaultPolicy, ...cached.row().values })

  const current = async (): Promise<Policy> => {
    await (isShared ? cached.load() : cached.refresh())
    return known()
  }

  return {
    /** The policy as it was last read. */
    known,
    /** The policy with every change that was answered before the call. */
    current,
    /** Changes the given fields. Throws Problem `unavailable` `policy_busy` when other writers win every time. */
    change: async (actor: Actor, change: PolicyChange): Promise<Policy> => {
      const fields = definedFields(change)
      if (Object.keys(fields).length === 0) return current()
      const { values } = await cached.change((row) => ({ set: { values: { ...row.values, ...fields } } }))
      await audit(actor, 'policy.change', fields)
      return { ...defaultPolicy, ...values }
    },
  }
}
