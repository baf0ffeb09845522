import { createCipher } from '../../lib/adapters/node/cipher.ts'
import { entropy } from '../../lib/adapters/node/entropy.ts'
import { createOutbound } from '../../lib/adapters/node/outbound.ts'
import { createTracing } from '../../lib/adapters/node/tracing.ts'
import { openSqliteStore } from '../../lib/adapters/sqlite/store.ts'
import type { Collection } from '../../lib/core/collection.ts'
import { deliveryRows } from '../../lib/deliveries/rows.ts'
import type { DeliveryRow, Endpoints, NewDelivery } from '../../lib/deliveries/schema.ts'
import { createDeliveries } from '../../lib/deliveries/service.ts'
import type { Outbound } from '../../lib/ports/outbound.ts'
import type { Store } from '../../lib/ports/store.ts'
import { createFakeClock, type FakeClock } from '../fakes/clock.ts'
import { createFakeLog } from '../fakes/log.ts'

export const DELAYS_MS = [30_000, 300_000, 1_800_000, 7_200_000, 43_200_000]

export const deliveryCollections = [deliveryRows] as unknown as readonly Collection[]

type Options = { store?: Store; clock?: FakeClock; outbound?: Outbound; delaysMs?: readonly number[] }

/** Deliveries over real SQLite and real requests to loopback; time is a fake. */
export const openDeliveries = ({ delaysMs = DELAYS_MS, ...options }: Options = {}) => {
  const clock = options.clock ?? createFakeClock()
  const store =
    options.store ?? openSqliteStore({ file: ':memory:', collections: deliveryCollections, clock })
  const outbound = options.outbound ?? createOutbound({ clock, allow: ['127.0.0.1'] })
  const cipher = createCipher({ keys: () => [key], entropy })
  const log = createFakeLog()
  const deliveries = createDeliveries({
    store,
    outbound,
    cipher,
    clock,
    log,
    endpoints: noEndpoints,
    tracing: createTracing({ clock }),
    delaysMs: () => delaysMs,
  })
  /** Sends what is due now, to the end. */
  const tick = async () => {
    await deliveries.sendDue()
    await deliveries.settled()
  }
  return {
    clock,
    store,
    outbound,
    cipher,
    log,
    deliveries,
    tick,
    add: async (delivery: Partial<NewDelivery>) => {
      await deliveries.add({ ...sample, ...delivery })
      await deliveries.settled()
    },
    row: (id = sample.id): Promise<DeliveryRow | undefined> => store.get(deliveryRows, id, true),
    [Symbol.asyncDispose]: () => store.close(),
  }
}

/** Every delivery goes where its row says. */
const noEndpoints: Endpoints = {
  of: async () => undefined,
  isFailing: async () => false,
  onLost: async () => [],
  onSent: async () => undefined,
}

const key = entropy(32)

export const sample = {
  id: 'evt_1',
  owner: 'gw_1',
  event: 'task.completed',
  url: 'http://127.0.0.1:9/hook',
  body: '{"id":"evt_1","event":"task.completed","payload":{"title":"Grüße 🌍"}}',
}

/** An outbound port whose requests the test answers by hand. */
export const heldOutbound = () => {
  const open: { url: string; answer: (status: number) => void; fail: () => void }[] = []
  const outbound: Outbound = {
    check: async () => undefined,
    send: ({ url }) =>
      new Promise((resolve, reject) =>
        open.push({
          url,
          answer: (status) =>
            resolve({ status, headers: {}, body: '', bytes: new Uint8Array(), truncated: false }),
          fail: () => reject(new Error('failed by the test')),
        }),
      ),
  }
  return { open, outbound }
}
