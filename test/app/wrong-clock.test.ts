import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { approvals as approvalRows } from '../../lib/approvals/rows.ts'
import { collections } from '../../lib/collections.ts'
import type { Principal } from '../../lib/core/principal.ts'
import { CORRECTED, createStepWatch, leaseHolds } from '../../lib/core/wrong-clock.ts'
import { deliveryRows, HELD, stoppedAs } from '../../lib/deliveries/rows.ts'
import { LIVE_STREAM } from '../../lib/live/watch.ts'
import { isLeaseHeld } from '../../lib/memory/state.ts'
import { createAuthorizationRequests } from '../../lib/oauth/authorization-requests.ts'
import type { Store } from '../../lib/ports/store.ts'
import type { ReportRow } from '../../lib/reporting/rows.ts'
import { isBeingSent } from '../../lib/reporting/send.ts'
import { schedules as scheduleRows } from '../../lib/schedules/rows.ts'
import { tasks as taskRows } from '../../lib/tasks/rows.ts'
import type { TaskRow } from '../../lib/tasks/schema.ts'
import { turnLeaseHolds } from '../../lib/turns/leases.ts'
import { stillWaits } from '../../lib/turns/waiting.ts'
import { createFakeClock } from '../fakes/clock.ts'
import { ANN, type StartedDomains, startDomains } from '../fakes/service.ts'
import { storeOpeners } from '../fakes/stores.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const YEAR_MS = 365 * DAY_MS

/** Does something while the clock is a year ahead. */
const yearAhead = async <T>({ clock }: Pick<StartedDomains, 'clock'>, work: () => Promise<T>): Promise<T> => {
  const right = clock.now()
  clock.setWall(right + YEAR_MS)
  try {
    return await work()
  } finally {
    clock.setWall(right)
  }
}

const isoIn = ({ clock }: Pick<StartedDomains, 'clock'>, ms: number) =>
  new Date(clock.now() + ms).toISOString()
const HOOK = {
  owner: 'gw_1',
  event: 'e',
  url: 'http://127.0.0.1:9/',
  body: '{}',
  attempts: [],
  createdAt: '2026-01-01',
}

/** Leaves a row with times of a clock ahead; answers how late it is from now, in milliseconds. */
type Case = {
  leave(service: StartedDomains): Promise<string>
  correct(service: StartedDomains): Promise<unknown>
  late(service: StartedDomains, id: string): Promise<number>
  atMost: number
}

const setTask = async (service: StartedDomains, set: Partial<TaskRow>) => {
  const { id } = await service.create()
  await service.ports.store.commit<TaskRow>({ update: taskRows, key: id, set })
  return id
}
const delivery = async (service: StartedDomains, more: object) => {
  const row = { ...HOOK, id: `d${Math.random()}`, status: 'pending' as const, tries: 0, ...more }
  await service.ports.store.commit({ insert: deliveryRows, row })
  return row.id
}
const untilDue = async (service: StartedDomains, id: string) =>
  Date.parse((await service.ports.store.get(deliveryRows, id))?.dueAt ?? '') - service.clock.now()
const task = async (service: StartedDomains, id: string) =>
  (await service.ports.store.get(taskRows, id)) as TaskRow

const CASES: [string, Case][] = [
  [
    'a schedule of each minute',
    {
      leave: async (service) => {
        const given = {
          name: 'S',
          cron: '* * * * *',
          timezone: 'UTC',
          enabled: true,
          task: { title: 'T' },
        } as never
        const { id } = await service.schedules.create(ANN, given)
        await yearAhead(service, service.schedules.runAllDue)
        return id
      },
      correct: ({ schedules }) => schedules.runAllDue(),
      late: async ({ ports, clock }, id) =>
        Date.parse((await ports.store.get(scheduleRows, id))?.nextRunAt ?? '') - clock.now(),
      atMost: MINUTE_MS,
    },
  ],
  [
    'a delivery that is tried again',
    {
      leave: (service) => delivery(service, { tries: 1, dueAt: isoIn(service, YEAR_MS + 30_000) }),
      correct: ({ deliveries }) => deliveries.sendDue(),
      late: untilDue,
      atMost: 30_000,
    },
  ],
  [
    'a delivery that is held',
    {
      leave: (service) =>
        delivery(service, {
          dueAt: isoIn(service, YEAR_MS + 30 * DAY_MS),
          stopped: stoppedAs(HELD, isoIn(service, YEAR_MS)),
        }),
      correct: ({ deliveries }) => deliveries.sendDue(),
      late: untilDue,
      atMost: 30 * DAY_MS,
    },
  ],
  [
    'a task that waits for its next attempt',
    {
      leave: (service) =>
        setTask(service, {
          status: 'pending',
          attempts: 1,
          updatedAt: isoIn(service, YEAR_MS),
          nextAttemptAt: isoIn(service, YEAR_MS + 20 * MINUTE_MS),
        }),
      correct: ({ tasks }) => tasks.recovery.tick(() => false),
      late: async (service, id) =>
        Date.parse((await task(service, id)).nextAttemptAt ?? '') - service.clock.now(),
      atMost: 20 * MINUTE_MS,
    },
  ],
  [
    'the lease of a worker that is gone',
    {
      leave: (service) =>
        setTask(service, {
          status: 'in_progress',
          attempts: 1,
          leaseExpiresAt: service.clock.now() + YEAR_MS,
        }),
      correct: ({ tasks }) => tasks.recovery.tick(() => false),
      late: async (service, id) => ((await task(service, id)).leaseExpiresAt ?? 0) - service.clock.now(),
      atMost: 30_000,
    },
  ],
  [
    'an approval of a conversation',
    {
      leave: async (service) => {
        const asked = { tool: 'git', risk: 'write', mode: 'ask', title: 'git', arguments: {} } as const
        const request = { ...asked, userId: ANN.userId, conversationId: 'c' }
        await yearAhead(service, () => service.approvals.ask(request))
        return (await service.approvals.list(ANN))[0]?.id ?? ''
      },
      correct: ({ approvals }) => approvals.settleDue(),
      late: async ({ ports, clock }, id) =>
        Date.parse((await ports.store.get(approvalRows, id))?.expiresAt ?? '') - clock.now(),
      atMost: 10 * MINUTE_MS,
    },
  ],
]

type Opened = { store: Store; close: () => Promise<unknown> }
describe.each(storeOpeners(collections))('times of a clock that was a year ahead, on %s', (_name, open) => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open(createFakeClock())
  })
  afterAll(() => opened?.close())

  it.each(CASES)(
    'are computed anew, with a line of the log: %s',
    async (_what, { leave, correct, late, atMost }) => {
      const service = await startDomains({ background: false, wrapStore: () => opened.store })
      const id = await leave(service)
      expect(await late(service, id)).toBeGreaterThan(YEAR_MS - DAY_MS)
      await correct(service)
      const left = await late(service, id)
      expect([left > 0, left <= atMost]).toEqual([true, true])
      const corrected = () => service.log.entries.filter(({ message }) => message === CORRECTED).length
      expect(corrected()).toBe(1)
      await correct(service)
      expect([await late(service, id), corrected()]).toEqual([left, 1])
    },
  )
})

/** Leaves something under a clock ahead; resolves to what a user finds under the right clock after that. */
type Found = (service: StartedDomains, restarted: StartedDomains) => Promise<unknown>
const announced = (service: StartedDomains, id: string) =>
  service.notifications.deliver({
    kind: 'announce',
    notification: { id, type: 'task_failed', title: 'T', message: 'm', createdAt: isoIn(service, 0) },
  })
const readStates = async ({ notifications }: StartedDomains) =>
  (await notifications.list(ANN, { limit: 10 })).notifications.map(({ id, read }) => [id, read])
const REQUESTER = { requesterId: 'laptop', address: '192.0.2.7' }

const FOUND: [string, Found, unknown][] = [
  [
    'a notification is unread that comes after all were marked as read under a clock ahead',
    async (service, restarted) => {
      await yearAhead(service, async () => {
        await announced(service, 'ntf_1')
        await service.notifications.readAll(ANN)
      })
      await announced(restarted, 'ntf_2')
      const [latest] = await readStates(restarted)
      await restarted.notifications.readAll(ANN)
      await announced(restarted, 'ntf_3')
      return [latest, ...(await readStates(restarted))]
    },
    [
      ['ntf_2', false],
      ['ntf_3', false],
      ['ntf_2', true],
      ['ntf_1', true],
    ],
  ],
  [
    'a notification is unread that comes after one of a clock ahead was marked as read',
    async (service, restarted) => {
      await yearAhead(service, () => announced(service, 'ntf_1'))
      await restarted.notifications.readAll(ANN)
      restarted.clock.advance(1)
      await announced(restarted, 'ntf_2')
      return readStates(restarted)
    },
    [
      ['ntf_2', false],
      ['ntf_1', true],
    ],
  ],
  [
    'an address may ask for a pairing whose requests under a clock ahead took all slots',
    async (service) => {
      const { code } = await yearAhead(service, async () => {
        for (let asked = 1; asked < 20; asked++) await service.devices.pairing.request(REQUESTER)
        return service.devices.pairing.request(REQUESTER)
      })
      const late = await service.devices.pairing
        .approve({ principal: ANN, address: REQUESTER.address }, code)
        .catch(({ code }) => code)
      const { expiresAt } = await service.devices.pairing.request(REQUESTER)
      return [late, Date.parse(expiresAt) - service.clock.now(), (await service.devices.pending()).length]
    },
    ['pairing_code_not_found', 10 * MINUTE_MS, 1],
  ],
  [
    'a reader of live events gets new ones after one of a clock ahead, and those of that clock no more',
    async (service, restarted) => {
      const append = ({ ports }: StartedDomains, id: string) =>
        ports.feed.append(LIVE_STREAM, [{ type: 'task.updated', data: { id } }], { ttlMs: MINUTE_MS })
      const [last] = await yearAhead(service, async () => {
        const entries = await append(service, 'seen')
        await append(service, 'stale')
        return entries
      })
      const reader = new AbortController()
      const events = await restarted.live.follow(ANN, last?.id ?? '', reader.signal)
      await append(restarted, 'new')
      const found = []
      for await (const { type, data } of events) {
        found.push([type, data])
        if (found.length === 2) reader.abort()
      }
      return found
    },
    [
      ['reset', {}],
      ['task.updated', { id: 'new' }],
    ],
  ],
]

describe.each(storeOpeners(collections))('after a clock that was a year ahead, on %s', (_name, open) => {
  it.each(FOUND)('%s', async (_what, find, expected) => {
    const { store, close } = await open(createFakeClock())
    const started = () => startDomains({ background: false, wrapStore: () => store })
    try {
      expect(await find(await started(), await started())).toEqual(expected)
    } finally {
      await close()
    }
  })
})

const EMAIL = 'ann@example.com'
const PASSWORD = 'correct horse 1'
const withAdmin = async () => {
  const service = await startDomains({ background: false, env: { AUTH_MODE: 'cloud' } })
  const { id } = await service.accounts.signUp({ email: EMAIL, password: PASSWORD, name: 'Ann' })
  const admin: Principal = { userId: id, role: 'admin' }
  const requests = createAuthorizationRequests({ ...service.ports, clock: service.clock })
  return { ...service, admin, requests }
}
type WithAdmin = Awaited<ReturnType<typeof withAdmin>>
const request = { provider: 'codehost', redirectUri: 'https://example.com/' } as const

const ENTRIES: [
  string,
  (service: WithAdmin) => Promise<string>,
  (service: WithAdmin, made: string) => unknown,
][] = [
  [
    'the code for a new password',
    async ({ accounts, admin }) => (await accounts.createResetCode(admin, admin.userId)).code,
    ({ accounts }, code) => accounts.resetPassword({ email: EMAIL, code, newPassword: 'another 2' }, '::1'),
  ],
  [
    'an invite',
    async ({ accounts, admin }) => (await accounts.invites.create(admin, { expiresInDays: 7 })).code,
    ({ accounts }, inviteCode) =>
      accounts.signUp({ email: 'bob@example.com', password: PASSWORD, name: 'Bob', inviteCode }),
  ],
  [
    'a sign-in at a provider',
    async ({ requests }) => JSON.stringify(await requests.begin(request)),
    async ({ requests }, begun) => {
      if ((await requests.end('codehost', JSON.parse(begun))) === undefined) throw { code: 'over' }
    },
  ],
]

describe('what lets a person in', () => {
  it.each(ENTRIES)('counts for nothing after a clock that was a year ahead: %s', async (_what, make, use) => {
    await using service = await withAdmin()
    const made = await yearAhead(service, () => make(service))
    const came = await Promise.resolve(use(service, made)).then(
      () => 'is let in',
      ({ code }) => code,
    )
    expect(came).toMatch(/^(?:bad_reset_code|invalid_invite|over)$/)
    await use(service, await make(service))
  })
})

describe('a time of a clock ahead that is later than its rule allows', () => {
  const now = Date.parse('2026-01-01T12:00:00Z')
  it.each<[string, (until: number) => boolean, number]>([
    ['a turn is under way', (until) => turnLeaseHolds(until, now), 15_000],
    ['a turn waits for approvals', (until) => stillWaits(until, now), HOUR_MS],
    ['a report is being sent', (until) => isBeingSent({ sendingUntil: until } as ReportRow, now), 30_000],
    [
      'memory is being changed',
      (until) => isLeaseHeld({ leaseToken: 'l', leaseUntil: until }, now),
      MINUTE_MS,
    ],
  ])('counts for nothing: %s', (_what, holds, longestMs) => {
    const ends = [now - 1, now + 1, now + longestMs, now + YEAR_MS]
    expect(ends.map(holds)).toEqual([false, true, true, false])
  })
})

describe('a lease of 15 s', () => {
  it.each([
    [-1, false],
    [1, true],
    [15_000, true],
    // The clocks of two machines differ.
    [15_000 + 5 * MINUTE_MS, true],
    [15_000 + 11 * MINUTE_MS, false],
    [YEAR_MS, false],
  ])('that ends in %i ms holds: %s', (ms, expected) => {
    expect(leaseHolds(1_000_000 + ms, 15_000, 1_000_000)).toBe(expected)
  })
})

it('stored times are looked through at first, each five minutes, and when the clock steps back', () => {
  const clock = createFakeClock()
  const isDue = createStepWatch(clock)
  const looks = [isDue(), isDue()]
  clock.advance(5 * MINUTE_MS)
  looks.push(isDue(), isDue())
  clock.setWall(clock.now() + YEAR_MS)
  looks.push(isDue())
  clock.setWall(clock.now() - YEAR_MS)
  looks.push(isDue(), isDue())
  expect(looks).toEqual([true, false, true, false, false, true, false])
})
