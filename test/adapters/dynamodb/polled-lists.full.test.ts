import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { createInvites } from '../../../lib/accounts/invites.ts'
import { type InviteRow, invites, type UserRow, users } from '../../../lib/accounts/rows.ts'
import { createUsers } from '../../../lib/accounts/users.ts'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import { entropy } from '../../../lib/adapters/node/entropy.ts'
import { type AuditRow, auditRows } from '../../../lib/audit/rows.ts'
import { createAudit } from '../../../lib/audit/service.ts'
import type { Collection } from '../../../lib/core/collection.ts'
import { createMasker } from '../../../lib/core/masker.ts'
import { iso } from '../../../lib/core/time.ts'
import { type NotificationRow, notifications, readMarks, reads } from '../../../lib/notifications/rows.ts'
import { createNotifications } from '../../../lib/notifications/service.ts'
import type { Store } from '../../../lib/ports/store.ts'
import { type TokenRow, tokenRows } from '../../../lib/tokens/rows.ts'
import { createTokens } from '../../../lib/tokens/service.ts'
import { hasDynoxide, startDynoxide } from '../../../offline/emulators.ts'
import { createFakeIds } from '../../fakes/ids.ts'
import { forAllTests } from '../../fakes/lifetimes.ts'
import { createFakeLog } from '../../fakes/log.ts'
import { ANN } from '../../fakes/service.ts'
import { meterCapacity } from './capacity-meter.ts'
import { openFollowed } from './opened.ts'

const FEW = 100
/** `POLLED_LIST_ROWS=20000` measures what the guarantees promise; fewer show the same. */
const MANY = Number(process.env.POLLED_LIST_ROWS ?? 800)
const AT_ONCE = 50
const collections = [
  ...[notifications, reads, readMarks, auditRows, users, invites, tokenRows],
] as unknown as readonly Collection[]

const clock = createClock()
const startMs = clock.now()
const expiresAt = startMs + 86_400_000

const insertNotification = (store: Store, n: number) => {
  const row: NotificationRow = {
    id: `ntf_${n}`,
    type: 'task_failed',
    taskId: `task_${n}`,
    createdAt: iso(startMs + n),
    expiresAt,
    title: `Task failed: number ${n}`,
    message: 'After 3 attempts: the agent ended with exit code 1',
  }
  return store.commit({ insert: notifications, row })
}
const insertRecord = (store: Store, n: number) => {
  const row: AuditRow = {
    id: `aud_${n}`,
    timestamp: iso(startMs + n),
    userId: 'user_ann',
    action: 'token.create',
    expiresAt,
    details: { id: `tok_${n}`, name: 'CI', userId: 'user_ann', scopes: ['gateway'] },
  }
  return store.commit({ insert: auditRows, row })
}
const insertUser = (store: Store, n: number) => {
  const row: UserRow = {
    id: `user_${n}`,
    email: `person-${n}@example.com`,
    name: `Person ${n}`,
    role: 'user',
    disabled: false,
    createdAt: iso(startMs + n),
  }
  return store.commit({ insert: users, row })
}

const insertInvite = (store: Store, n: number) => {
  const row: InviteRow = {
    id: `inv_${n}`,
    secretHash: '0'.repeat(64),
    email: `person-${n}@example.com`,
    createdBy: 'user_ann',
    createdAt: iso(startMs + n),
    expiresAt: iso(expiresAt),
    keptUntil: expiresAt,
  }
  return store.commit({ insert: invites, row })
}
const insertToken = (store: Store, n: number) => {
  const row: TokenRow = {
    id: `tok_${n}`,
    name: `Program ${n}`,
    userId: ANN.userId,
    scopes: ['gateway'],
    createdAt: iso(startMs + n),
    hash: '0'.repeat(64),
  }
  return store.commit({ insert: tokenRows, row })
}
const ADMIN = { ...ANN, role: 'admin' } as const

const suite = hasDynoxide() ? describe : describe.skip
suite('a list that a page polls costs about as much with many rows as with few:', () => {
  const database = forAllTests(startDynoxide, ({ stop }) => stop())
  const open = async () => {
    const followed = await openFollowed({ endpoint: database().endpoint, collections, clock })
    return { ...followed, meter: meterCapacity(followed.client) }
  }
  let opened: Awaited<ReturnType<typeof open>>
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened.close())

  const never = async (): Promise<never> => {
    throw new Error('A list is read, and nothing else')
  }
  const means = (store: Store) => ({ store, clock, entropy, ids: createFakeIds(), audit: never })

  const polledLists = (store: Store) => ({
    notifications: () => createNotifications({ store, clock, log: createFakeLog() }).list(ANN, { limit: 20 }),
    audit: () =>
      createAudit({
        store,
        clock,
        ids: createFakeIds(),
        log: createFakeLog(),
        masker: createMasker([]),
      }).list({ limit: 50 }),
    users: () => createUsers({ store, mode: () => 'cloud' }).list({ limit: 50 }),
    invites: () => createInvites({ ...means(store), readAccountStatus: never }).list({ limit: 50 }),
    tokens: () => createTokens({ ...means(store), callsPerMinute: 60 }).list(ADMIN, { limit: 50 }),
  })

  it.each([
    ['notifications', insertNotification],
    ['audit', insertRecord],
    ['users', insertUser],
    ['invites', insertInvite],
    ['tokens', insertToken],
  ] as const)('%s', async (name, insert) => {
    const { store, drained, meter } = opened
    const list = polledLists(store)[name]
    const costAt = async (from: number, to: number) => {
      for (let n = from; n < to; n += AT_ONCE)
        await Promise.all(Array.from({ length: AT_ONCE }, (_, k) => insert(store, n + k)))
      await drained()
      meter()
      const answer = await list()
      const { read } = meter()
      expect(answer).toMatchObject({ total: to, ...('unread' in answer ? { unread: to } : {}) })
      return read
    }
    const few = await costAt(0, FEW)
    const many = await costAt(FEW, MANY)
    if (process.env.POLLED_LIST_ROWS)
      console.error(`${name}: ${few} read units at ${FEW} rows, ${many} at ${MANY}`)
    expect(many).toBeLessThanOrEqual(2 * few)
    expect(many).toBeLessThanOrEqual(30)
  })
})
