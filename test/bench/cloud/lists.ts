import { type UserRow, users } from '../../../lib/accounts/rows.ts'
import { type AuditRow, auditRows } from '../../../lib/audit/rows.ts'
import { iso } from '../../../lib/core/time.ts'
import { type NotificationRow, notifications } from '../../../lib/notifications/rows.ts'
import type { AnyWrite } from '../../../lib/ports/store.ts'
import { deadLetters, UNDELIVERED_MESSAGE } from '../../../lib/queue/rows.ts'
import type { DlqItem } from '../../../lib/queue/schema.ts'
import { tasks } from '../../../lib/tasks/rows.ts'
import type { TaskRow } from '../../../lib/tasks/schema.ts'
import { type InboundEvent, inboundEvents } from '../../../lib/webhooks/rows.ts'
import { body } from '../../adapters/dynamodb/life.ts'
import { insist } from '../../crash/insist.ts'
import { httpEvent } from '../../fakes/http-event.ts'
import { atMost, type Row } from '../row.ts'
import { measureUnits } from './measure.ts'
import type { World } from './world.ts'

/** Rows of each list when it is short. */
const FEW = 100
const AT_ONCE = 20
/** The emulator takes longer for each row the more there are, for 20,000 up to an hour, so it is said how far this is. */
const PROGRESS = 1_000
const DAY_MS = 86_400_000
const AGENTS = 8
/** The promise: a list costs at most so much more when it is long. */
const MOST_TIMES = 2

/** Every list and count that a view of the page asks for again and again, by the function that answers. */
const LISTS = [
  ['tasks', 'tasks', '/api/tasks?limit=50'],
  ['tasks of a status', 'tasks', '/api/tasks?status=completed&limit=50'],
  ['analytics', 'tasks', '/api/tasks/analytics'],
  ['queue status', 'queue', '/api/queue/status'],
  ['dead letters', 'queue', '/api/dlq?limit=50'],
  ['dead letters that wait', 'queue', '/api/dlq?status=pending&limit=50'],
  ['notifications', 'notifications', '/api/notifications?limit=20'],
  ['agents', 'agents', '/api/agents'],
  ['audit', 'settings', '/api/audit?limit=50'],
  ['users', 'auth', '/api/users?limit=50'],
  ['webhooks', 'webhooks', '/api/integrations/webhooks/status'],
] as const

/** The `n`th row of each list; all are of the last 30 days, so that nothing that is made later is behind them. */
const numberedInserts = (n: number, now: number): AnyWrite[] => {
  const at = iso(now - 30 * DAY_MS + n * 60_000)
  const expiresAt = now + DAY_MS
  const task: TaskRow = {
    ...body(),
    id: `task_list_${n}`,
    status: 'completed',
    agent: `agent-${n % AGENTS}`,
    attempts: 1,
    maxAttempts: 3,
    createdAt: at,
    updatedAt: at,
    startedAt: at,
    completedAt: at,
    createdBy: 'user_list',
    fence: 1,
  }
  const letter: DlqItem = {
    id: `dlq_list_${n}`,
    taskId: `task_list_${n}`,
    // One that announces nothing: its notification would be one of the rows that are inserted here.
    title: UNDELIVERED_MESSAGE,
    attempts: 3,
    lastError: 'The agent ended with exit code 1',
    createdAt: at,
    status: 'pending',
  }
  const notification: NotificationRow = {
    id: `ntf_list_${n}`,
    type: 'task_failed',
    taskId: `task_list_${n}`,
    createdAt: at,
    expiresAt,
    title: `Task failed: number ${n}`,
    message: 'After 3 attempts: the agent ended with exit code 1',
  }
  const record: AuditRow = {
    id: `aud_list_${n}`,
    timestamp: at,
    userId: 'user_list',
    action: 'token.create',
    expiresAt,
    details: { id: `tok_${n}`, name: 'CI', userId: 'user_list', scopes: ['gateway'] },
  }
  const user: UserRow = {
    id: `user_list_${n}`,
    email: `person-${n}@example.com`,
    name: `Person ${n}`,
    role: 'user',
    disabled: false,
    createdAt: at,
  }
  const event: InboundEvent = {
    id: `event_list_${n}`,
    sender: 'codehost',
    event: 'issues.labeled',
    receivedAt: at,
    body: '{}',
    expiresAt,
  }
  return [
    { insert: tasks, row: task },
    { insert: deadLetters, row: letter },
    { insert: notifications, row: notification },
    { insert: auditRows, row: record },
    { insert: users, row: user },
    { insert: inboundEvents, row: event },
  ] as unknown as AnyWrite[]
}

const fill = async ({ store, drain, direct }: World, from: number, to: number) => {
  const now = Date.now()
  for (let n = from; n < to; n += AT_ONCE) {
    if (n % PROGRESS === 0) console.error(`lists: ${n} of ${to} rows of each are stored`)
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, k) => numberedInserts(n + k, now))
        .flat()
        // A timeout on a machine that is busy; a repeat finds the row there.
        .map((write) => insist(() => store.commit(write))),
    )
  }
  console.error(`lists: ${to} of ${to} rows of each are stored; their changes are counted`)
  await drain(await direct.function('stream'))
}

const readUnits = async (world: World): Promise<number[]> => {
  const all: number[] = []
  for (const [name, by, path] of LISTS) {
    const event = async () => httpEvent(`GET ${path}`, undefined, world.known)
    const { read } = await measureUnits({ name, by, event }, await world.metered.function(by), world.taken)
    all.push(read)
  }
  return all
}

/** The read units of every list while it is short and when it has so many rows, each held against the other. */
export const measureLists = async (world: World, rows: number): Promise<Row[]> => {
  await fill(world, 0, FEW)
  const few = await readUnits(world)
  await fill(world, FEW, rows)
  const many = await readUnits(world)
  return LISTS.map(([name], at) =>
    atMost(MOST_TIMES, {
      measure: `${name} of ${rows.toLocaleString('en-US')}`,
      unit: 'RU',
      ours: many[at] ?? 0,
      against: few[at] ?? 0,
      opponent: `${FEW} rows`,
    }),
  )
}
