import { createCipher } from '../../lib/adapters/node/cipher.ts'
import { createClock } from '../../lib/adapters/node/clock.ts'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import { auditRows } from '../../lib/audit/rows.ts'
import { createAudit } from '../../lib/audit/service.ts'
import { sessions as sessionRows } from '../../lib/auth/rows.ts'
import { createSessions } from '../../lib/auth/sessions.ts'
import type { Collection } from '../../lib/core/collection.ts'
import { createMasker } from '../../lib/core/masker.ts'
import { createIsPaired, createUnpairing } from '../../lib/devices/paired.ts'
import { codeRows, identityRows, pairingSlots, pairings } from '../../lib/devices/rows.ts'
import { createDevices } from '../../lib/devices/service.ts'
import { callsRows, createLimiter } from '../../lib/limits/limiter.ts'
import type { Cipher } from '../../lib/ports/cipher.ts'
import type { Entropy } from '../../lib/ports/entropy.ts'
import type { Store } from '../../lib/ports/store.ts'
import { openTables } from '../adapters/dynamodb/opened.ts'
import { createFakeClock, type FakeClock } from '../fakes/clock.ts'
import { startDatabase } from '../fakes/database.ts'
import { createFakeIds } from '../fakes/ids.ts'
import { createFakeLog } from '../fakes/log.ts'
import { ANN, BOB } from '../fakes/service.ts'

const collections = [
  identityRows,
  pairings,
  codeRows,
  pairingSlots,
  sessionRows,
  callsRows,
  auditRows,
] as unknown as readonly Collection[]

/** `again` is the same storage as another process sees it. */
export type Opened = { store: Store; again: () => Store; clock: FakeClock; close(): Promise<unknown> }

const openSqlite = async (): Promise<Opened> => {
  const clock = createFakeClock()
  const store = openSqliteStore({ file: ':memory:', collections, clock })
  return { store, again: () => store, clock, close: () => store.close() }
}

const openDynamo = async (): Promise<Opened> => {
  const { client, stop } = await startDatabase()
  const clock = createFakeClock()
  // Transactions that stand in each other's way wait for a moment, while the time of day stands still.
  const waiting = { ...clock, after: createClock().after }
  const { store, again } = await openTables({ client, collections, clock: waiting })
  const close = async () => {
    await store.close()
    await stop()
  }
  return { store, again, clock, close }
}

/** Every storage that devices are kept in. */
export const storages: [name: string, open: () => Promise<Opened>][] = [
  ['SQLite', openSqlite],
  ['DynamoDB', openDynamo],
]

const key = entropy(32)
export const cipher = createCipher({ keys: () => [key], entropy })

/** One for all: two that join the same storage write different rows. */
const ids = createFakeIds()

type More = { cipher?: Cipher; entropy?: Entropy }

/** Devices of one process with their real surroundings. */
export const composeDevices = ({ store, clock }: { store: Store; clock: FakeClock }, more: More = {}) => {
  const log = createFakeLog()
  const audit = createAudit({ store, clock, ids, log, masker: createMasker([]) })
  const random = more.entropy ?? entropy
  const sessions = createSessions({
    store,
    clock,
    log,
    entropy: random,
    readAccountStatus: async () => ({ role: 'user', disabled: false }),
    isPaired: createIsPaired({ store, clock, log }),
    ...createUnpairing({ store, audit: audit.record }),
  })
  const devices = createDevices({
    store,
    clock,
    log,
    limiter: createLimiter({ store, clock, entropy: random }),
    entropy: random,
    cipher: more.cipher ?? cipher,
    draftSession: sessions.draft,
    closeSession: sessions.close,
    audit: audit.record,
  })
  return { devices, sessions, audit, log }
}

/** A fresh address for each: what one test does must not use up what another one needs. */
let addresses = 0
export const newAddress = () => `192.0.2.${++addresses}`

export const ann = () => ({ principal: ANN, address: newAddress() })
export const bob = () => ({ principal: BOB, address: newAddress() })
export const requester = (more: { address?: string; meta?: Record<string, unknown> } = {}) => ({
  requesterId: 'laptop',
  address: newAddress(),
  ...more,
})
/** So many at once. */
export const atOnce = <T>(count: number, call: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => call(n)))

/** The error code of a call that is refused; its answer as JSON when it is not. */
export const outcomeCode = (call: Promise<unknown>): Promise<string> =>
  call.then(
    (answer) => JSON.stringify(answer),
    (thrown) => String(thrown?.code ?? thrown),
  )
