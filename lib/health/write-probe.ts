import { collection } from '../core/collection.ts'
import type { Store } from '../ports/store.ts'

/** The name of the collection is that of earlier versions, which kept here how the last process had ended. */
export const probes = collection<{ id: string; state: string }>({ name: 'exits', key: 'id', indexes: {} })

const PROBE = { id: 'process', state: 'probed' }

/** Writes what is there already: whether storage takes a write. Throws Problem `unavailable` when it does not. */
export const createWriteProbe = (store: Store) => async (): Promise<void> => {
  const { applied } = await store.commit({ update: probes, key: PROBE.id, set: { state: PROBE.state } })
  if (!applied) await store.commit({ insert: probes, row: PROBE })
}
