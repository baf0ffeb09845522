import { beforeAll, describe, expect, it } from '@jest/globals'
import { createProjectionBudget } from '../../../lib/adapters/aws/dynamodb/blob-offload.ts'
import { tablePlan } from '../../../lib/adapters/aws/dynamodb/plan.ts'
import { createClock } from '../../../lib/adapters/node/clock.ts'
import { collections } from '../../../lib/collections.ts'
import type { Collection } from '../../../lib/core/collection.ts'
import { iso } from '../../../lib/core/time.ts'
import type { Position } from '../../../lib/ports/store.ts'
import { tasks } from '../../../lib/tasks/rows.ts'
import type { TaskRow } from '../../../lib/tasks/schema.ts'
import { hasDynoxide, startDynoxide } from '../../../offline/emulators.ts'
import { databaseForTests } from '../../fakes/database.ts'
import { createMemoryBlobs } from '../../fakes/memory-blobs.ts'
import { type Capacity, meterCapacity } from './capacity-meter.ts'
import { openTables } from './opened.ts'

/** Texts that nothing could make shorter. */
const cjk = (length: number, seed: number) =>
  Array.from({ length }, (_, at) =>
    String.fromCodePoint(0x4e00 + ((seed * 7_919 + at * 104_729) % 20_000)),
  ).join('')

type Texts = Partial<TaskRow>
/** Every long field as long as a create takes it, and the longest message of a failure. */
const longest = (n: number): Texts => ({
  title: cjk(500, n),
  sourceId: cjk(500, n + 1),
  sourceUrl: `https://example.com/${'u'.repeat(1_980)}`,
  repository: cjk(500, n + 2),
  branch: cjk(500, n + 3),
  labels: Array.from({ length: 50 }, (_, at) => cjk(200, n + at)),
  assignedAgent: cjk(200, n + 4),
  error: { code: 'agent_failed', message: cjk(1_000, n) },
})
const reported = (n: number): Texts => ({
  title: cjk(500, n),
  sourceUrl: `https://example.com/${'u'.repeat(1_000)}`,
  labels: Array.from({ length: 10 }, (_, at) => cjk(100, n + at)),
  error: { code: 'agent_failed', message: cjk(1_000, n) },
})
const taskRow = (n: number, texts: Texts): TaskRow => ({
  id: `task_01JGFJJZ00${String(n).padStart(16, '0')}`,
  title: 'T',
  priority: 3,
  status: 'failed',
  source: 'api',
  labels: [],
  agent: 'coding-agent',
  attempts: 3,
  maxAttempts: 3,
  createdAt: iso(1_800_000_000_000 + n * 1_000),
  updatedAt: iso(1_800_000_000_000),
  retriedFrom: 'task_01JGFJJZ000000000000000000',
  createdBy: 'user_01JGFJJZ000000000000000000',
  fence: 3,
  ...texts,
})

const plan = tablePlan(tasks as unknown as Collection, ({ name }) => name)
const budget = createProjectionBudget()
/** The longest text that lies in the index still. */
const most = (isOver: (text: string) => boolean): string => {
  let length = 1
  while (!isOver('x'.repeat(length + 1))) length += 1
  return 'x'.repeat(length)
}
const message = most(
  (text) => budget.changeExcess(plan, { error: { code: 'failed', message: text } }).length > 0,
)
const WORDED = ['title', 'sourceId', 'sourceUrl', 'repository', 'branch', 'assignedAgent'] as const
/** Every field a byte too short to lie aside. */
const brimful = (): Texts => {
  const fields = WORDED.map((field) => {
    const many = Object.fromEntries(WORDED.map((name) => [name, 'x'.repeat(500)]))
    const text = most((value) =>
      budget.rowExcess(plan, taskRow(0, { ...many, [field]: value })).includes(field),
    )
    return [field, text]
  })
  return { ...Object.fromEntries(fields), labels: ['x'.repeat(90)] }
}
const later: Texts = {
  status: 'failed',
  queuedAt: iso(1_800_000_000_000),
  startedAt: iso(1_800_000_000_000),
  completedAt: iso(1_800_000_000_000),
  nextAttemptAt: iso(1_800_000_000_000),
  leaseExpiresAt: 1_800_000_000_000,
  usage: { promptTokens: 1_000_000, completionTokens: 1_000_000, totalTokens: 2_000_000 },
  error: { code: 'failed', message },
}

const ROWS = 250
type Case = [string, (n: number) => Texts, Texts]
if (!hasDynoxide()) console.error('dynoxide is not installed for this machine: nothing counts capacity units')
const suite = hasDynoxide() ? describe : describe.skip
suite('a page of the 50 newest', () => {
  const database = databaseForTests(startDynoxide)
  let meter: () => Capacity
  beforeAll(() => {
    meter = meterCapacity(database().client)
  })

  it.each<Case>([
    ['a title, labels, an address and a message that are long', reported, {}],
    ['everything as long as it may be', longest, {}],
    ['all that an index takes', brimful, later],
  ])('costs at most 16 read units and is exact: %s', async (_, rowTexts, more) => {
    const blobs = createMemoryBlobs()
    const { client } = database()
    const { store } = await openTables({ client, collections, clock: createClock(), blobs })
    const rows: TaskRow[] = []
    for (let n = 0; n < ROWS; n += 1) rows.push(taskRow(n, rowTexts(n)))
    for (let at = 0; at < ROWS; at += 50)
      await Promise.all(rows.slice(at, at + 50).map((row) => store.commit({ insert: tasks, row })))
    for (const row of rows) {
      if (Object.keys(more).length > 0) await store.commit({ update: tasks, key: row.id, set: more })
      Object.assign(row, more)
    }
    for (const index of [{ index: 'newest' }, { index: 'byStatus', is: 'failed' }]) {
      const found: TaskRow[] = []
      const units: number[] = []
      let after: Position | undefined
      do {
        meter()
        const page = await store.page(tasks, {
          ...index,
          order: 'desc',
          limit: 50,
          ...(after && { after }),
        })
        units.push(meter().read)
        found.push(...page.rows)
        after = page.next
      } while (after !== undefined)
      expect(found).toEqual(rows.toReversed())
      expect(Math.max(...units)).toBeLessThanOrEqual(16)
    }
  })
})
