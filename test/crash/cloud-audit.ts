import { openStorage } from '../../lib/app/cloud-ports.ts'
import { readConfig } from '../../lib/config/config.ts'
import type { Collection } from '../../lib/core/collection.ts'
import { rowPages } from '../../lib/core/page.ts'
import { NOTIFICATION_COUNTERS, notifications } from '../../lib/notifications/rows.ts'
import { deadLetters } from '../../lib/queue/rows.ts'
import type { Task, TaskEvent } from '../../lib/tasks/schema.ts'
import type { JournalLine } from '../fixtures/agents/scripted.ts'
import type { Api } from '../journeys/api.ts'
import { count, replay } from './event-log.ts'
import { insist } from './insist.ts'

const PAGE = 500
const AT_ONCE = 8

/** What is wrong with tasks that have ended, and with their logs. */
export const auditCloud = async (
  api: Api,
  tasks: readonly Task[],
  journal: readonly JournalLine[],
): Promise<string[]> => {
  const runs = Map.groupBy(journal, ({ taskId }) => taskId)
  const wrong: string[] = []
  const audit = async ({ id }: Task) => {
    const [task, events] = await Promise.all([api.task(id), api.events(id)])
    wrong.push(
      ...[...wrongWith(task, runs.get(id) ?? []), ...wrongIn(task, events)].map((what) => `${id}: ${what}`),
    )
  }
  for (let n = 0; n < tasks.length; n += AT_ONCE) await Promise.all(tasks.slice(n, n + AT_ONCE).map(audit))
  return wrong
}

const isToFail = ({ metadata }: Task): boolean => metadata?.manner === 'failing'

const attemptsWithEvent = (events: readonly TaskEvent[], type: TaskEvent['type']) =>
  events.filter((event) => event.type === type).map(({ attempt }) => attempt)

const failing = (claims: readonly [what: string, holds: boolean][]) =>
  claims.filter(([, holds]) => !holds).map(([what]) => what)

/** The row, and what was run for it. */
const wrongWith = (task: Task, runs: readonly JournalLine[]): string[] => {
  const ofLast = (did: JournalLine['did']) =>
    runs.filter((run) => run.did === did && run.attempt === task.attempts).length
  const [status, output, ends] = isToFail(task)
    ? ['failed', undefined, 0]
    : ['completed', `attempt ${task.attempts}`, 1]
  return failing([
    [`is ${task.status}`, task.status === status],
    [`its result is ${task.result?.output}`, task.result?.output === output],
    [`its last attempt began ${ofLast('start')} times`, ofLast('start') === 1],
    [`its last attempt ended ${ofLast('end')} times`, ofLast('end') === ends],
  ])
}

/** The log: it is the way that the lifecycle has, each start and one end of it. */
const wrongIn = (task: Task, events: readonly TaskEvent[]): string[] => {
  const started = attemptsWithEvent(events, 'started')
  const ended = attemptsWithEvent(events, isToFail(task) ? 'failed' : 'completed')
  const replayed = replay(events)
  return failing([
    [
      `started attempts ${started}`,
      started.join() === Array.from({ length: task.attempts }, (_, n) => n + 1).join(),
    ],
    [`ended in attempts ${ended}`, ended.join() === String(task.attempts)],
    [`recovered ${count(events, 'recovered')} times`, count(events, 'recovered') === task.attempts - 1],
    [`its log says ${JSON.stringify(replayed)}`, 'status' in replayed && replayed.status === task.status],
  ])
}

/** What there is of failures beside their tasks: dead letters and notifications, by task, and how many of these count. */
export const failuresTold = async () => {
  const { store } = openStorage(readConfig())
  const allTaskIds = async <R extends { taskId?: string | undefined }>(of: Collection<R & object>) => {
    const ids: string[] = []
    const all = { index: 'newest', order: 'desc', limit: PAGE } as const
    for await (const rows of rowPages((from) => insist(() => store.page(of, { ...all, ...from }))))
      ids.push(...rows.map(({ taskId = '' }) => taskId))
    return ids.sort()
  }
  const { counter, member } = NOTIFICATION_COUNTERS
  return {
    letters: await allTaskIds(deadLetters),
    notifications: await allTaskIds(notifications),
    counted: (await insist(() => store.counters(counter)))[member]?.total ?? 0,
  }
}
