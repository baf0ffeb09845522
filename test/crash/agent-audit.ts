import type { Task, TaskEvent } from '../../lib/tasks/schema.ts'
import { actsIn } from '../fixtures/acp/reporting.ts'
import type { Connection } from '../journeys/client.ts'
import type { AcceptedOrder } from './agent-customers.ts'
import type { JournalEntry } from './agent-journal.ts'
import { verdictOn } from './agent-orders.ts'
import { count, replay } from './event-log.ts'

/** What is wrong, by what a kill must never do. */
export type Findings = { lost: string[]; twice: string[]; unseen: string[]; other: string[] }
type Claim = [fault: keyof Findings, what: string, holds: boolean]

const noFindings = (): Findings => ({ lost: [], twice: [], unseen: [], other: [] })

const failing = (about: string, claims: readonly Claim[]): Findings => {
  const found = noFindings()
  for (const [fault, what, holds] of claims) if (!holds) found[fault].push(`${about}: ${what}`)
  return found
}

const together = (all: readonly Findings[]): Findings => ({
  lost: all.flatMap(({ lost }) => lost),
  twice: all.flatMap(({ twice }) => twice),
  unseen: all.flatMap(({ unseen }) => unseen),
  other: all.flatMap(({ other }) => other),
})

const TERMINAL = ['completed', 'failed', 'cancelled'] as const

/** Whether a turn did its acts; another runner, which lacks the session of the agent, tells it of the earlier ones too. */
const isOutputOf = (acts: readonly { id: string }[], { output }: { output: string }): boolean =>
  output.startsWith('Did ') && output.endsWith(acts.map(({ id }) => id).join(' '))

const turnClaims = ({ ending }: AcceptedOrder, task: Task, events: readonly TaskEvent[]): Claim[] => {
  const { status, attempts, result, error } = task
  const ends = TERMINAL.map((type) => count(events, type)).reduce((sum, some) => sum + some)
  // An attempt that was released does not count.
  const released = events.filter(({ metadata }) => metadata?.code === 'released').length
  const interrupted = count(events, 'recovered') + count(events, 'retrying') - released
  const acts = actsIn(task.prompt ?? '').flat()
  const log = replay(events)
  return [
    ['lost', `is ${status}, not ${ending.status}`, status === ending.status],
    ['twice', `has ended ${ends} times`, ends === 1],
    [
      'twice',
      `has ${count(events, 'started')} starts, ${attempts} attempts, ${released} releases`,
      count(events, 'started') === attempts + released,
    ],
    ['other', `was interrupted ${interrupted} times in ${attempts} attempts`, interrupted === attempts - 1],
    ['other', `its log says ${JSON.stringify(log)}`, 'status' in log && log.status === status],
    ['other', `failed with ${error?.code}`, ending.status === 'completed' || error?.code === ending.code],
    [
      'other',
      `its result is ${result?.output}`,
      ending.status === 'failed' || (result !== undefined && isOutputOf(acts, result)),
    ],
  ]
}

/** The turns of an order as HTTP shows them: each ended as it should, and each message is in one of them, in order. */
const auditOrder = async (
  { client, task, events }: Connection,
  order: AcceptedOrder,
  deadLetters: ReadonlyMap<string, number>,
): Promise<Findings> => {
  const { thread } = await client.getThread({ params: { id: order.id } })
  const turns = await Promise.all(thread.tasks.map(({ id }) => task(id)))
  const logs = await Promise.all(turns.map(({ id }) => events(id)))
  const handed = turns.flatMap(({ prompt }) =>
    actsIn(prompt ?? '')
      .flat()
      .map(({ id }) => id),
  )
  const wanted = order.messages.flat().map(({ id }) => id)
  const letters = (id: string) => deadLetters.get(id) ?? 0
  return together([
    failing(order.name, [
      ['lost', `${thread.messages.length} messages wait`, thread.messages.length === 0],
      ['lost', 'a message was not handed over', wanted.every((id) => handed.includes(id))],
      ['twice', 'a message was handed over twice', new Set(handed).size === handed.length],
      ['other', `were handed over as ${handed}`, handed.join() === wanted.join()],
      ['other', 'its turns are no line', turns.every(({ parentId }, n) => parentId === turns[n - 1]?.id)],
    ]),
    ...turns.map((turn, n) =>
      failing(turn.id, [
        ...turnClaims(order, turn, logs[n] ?? []),
        ['lost', 'has no dead letter', order.ending.status === 'completed' || letters(turn.id) > 0],
        [
          'twice',
          `has ${letters(turn.id)} dead letters`,
          letters(turn.id) === Number(turn.status === 'failed'),
        ],
      ]),
    ),
  ])
}

/** What was done outside of the service: each act once, in order, and one that asks only as it was allowed. */
const auditEffects = (order: AcceptedOrder, journal: readonly JournalEntry[]): Findings => {
  const isDone = (id: string) => {
    const verdict = verdictOn(id)
    return verdict === undefined || verdict === 'allow-once'
  }
  const acts = order.messages.flat().map(({ id }) => id)
  const placeOf = new Map(order.messages.flatMap((message, place) => message.map(({ id }) => [id, place])))
  const done = journal.flatMap((entry) =>
    entry.did === 'does' ? (entry.acts ?? []).filter((id) => placeOf.has(id)) : [],
  )
  const places = done.map((id) => placeOf.get(id) ?? 0)
  const times = (id: string) => done.filter((other) => other === id).length
  return failing(order.name, [
    ...acts.map((id): Claim => ['lost', `${id} was not done`, !isDone(id) || times(id) > 0]),
    ...acts.map((id): Claim => ['twice', `${id} was done ${times(id)} times`, times(id) <= 1]),
    ...acts.map((id): Claim => ['unseen', `${id} was done without a right`, isDone(id) || times(id) === 0]),
    ['other', `done in the order ${done}`, places.every((place, n) => place >= (places[n - 1] ?? 0))],
  ])
}

/**
 * The permissions, as they were asked for, decided and heard: each answer that an agent hears uses up one decision of a
 * person about that act, and no person is asked for what no agent has asked.
 */
export const auditPermissions = (journal: readonly JournalEntry[]): Findings => {
  const asked = new Set<string>()
  const decisions = new Map<string, number>()
  const found = noFindings()
  const keyOf = { 'allow-once': 'yes', deny: 'no' } as const

  const hear = (act: string, answer: string) => {
    const left = decisions.get(`${act} ${answer}`) ?? 0
    if (left === 0) found.unseen.push(`${act} was answered ${answer} by no person`)
    decisions.set(`${act} ${answer}`, left - 1)
  }
  const read = (entry: JournalEntry) => {
    if (entry.did === 'asks') asked.add(entry.acts?.[0] ?? '')
    if (entry.did === 'sees' && !asked.has(entry.act))
      found.other.push(`${entry.approval}: no agent has asked for ${entry.act}`)
    if (entry.did === 'decides') {
      const key = `${entry.act} ${keyOf[entry.decision]}`
      decisions.set(key, (decisions.get(key) ?? 0) + 1)
    }
    // A run that ends answers what it has not decided.
    if (entry.did === 'hears' && entry.answer !== 'cancelled') hear(entry.acts?.[0] ?? '', entry.answer ?? '')
  }
  for (const entry of journal) read(entry)
  return found
}

/** All rows of a paged list. */
const allOf = async <Row>(
  page: (cursor?: string) => Promise<{ rows: readonly Row[]; nextCursor?: string | undefined }>,
): Promise<Row[]> => {
  const all: Row[] = []
  let cursor: string | undefined
  do {
    const { rows, nextCursor } = await page(cursor)
    all.push(...rows)
    cursor = nextCursor
  } while (cursor !== undefined)
  return all
}

const counted = (ids: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}

/** Everything that is wrong after all orders have ended, and what they came to. */
export const auditOrders = async (
  at: Connection,
  orders: readonly AcceptedOrder[],
  journal: readonly JournalEntry[],
): Promise<{ found: Findings; summary: string; approvals: number }> => {
  const { client } = at
  const query = (cursor: string | undefined) => ({ limit: 200, ...(cursor !== undefined && { cursor }) })
  const letters = await allOf(async (cursor) => {
    const { items, nextCursor } = await client.listDlq({ query: query(cursor) })
    return { rows: items, nextCursor }
  })
  const tasks = await allOf(async (cursor) => {
    const { tasks: rows, nextCursor } = await client.listTasks({ query: query(cursor) })
    return { rows, nextCursor }
  })
  const notices = await allOf(async (cursor) => {
    const { notifications: rows, nextCursor } = await client.listNotifications({ query: query(cursor) })
    return { rows, nextCursor }
  })
  const deadLetters = counted(letters.map(({ taskId }) => taskId))
  const failures = counted(
    notices.flatMap(({ type, taskId }) => (type === 'task_failed' ? [taskId ?? ''] : [])),
  )
  const titles = new Set(tasks.map(({ title }) => title))
  const waiting = (await client.listApprovals()).approvals
  const findings: Findings[] = []
  for (const order of orders)
    findings.push(await auditOrder(at, order, deadLetters), auditEffects(order, journal))
  const failed = tasks.filter(({ status }) => status === 'failed')
  const found = together([
    ...findings,
    auditPermissions(journal),
    failing('all tasks', [
      ['twice', `${tasks.length - titles.size} were made twice`, titles.size === tasks.length],
      ['twice', 'a failure was announced twice', [...failures.values()].every((times) => times === 1)],
      ['lost', 'a failure was not announced', failed.every(({ id }) => failures.has(id))],
      ['other', `approvals wait: ${waiting.map(({ id }) => id)}`, waiting.length === 0],
    ]),
  ])
  const approvals = journal.filter(({ did }) => did === 'sees').length
  const { lost, twice, unseen } = found
  const summary = [
    `${orders.length} threads of ${tasks.length} tasks, ${approvals} approvals`,
    `lost ${lost.length}, twice ${twice.length}, unseen ${unseen.length}`,
  ].join('; ')
  return { found, approvals, summary }
}
