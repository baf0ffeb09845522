import type { Task, TaskEvent } from '../../lib/tasks/schema.ts'
import type { JournalLine } from '../fixtures/agents/scripted.ts'
import type { Api } from '../journeys/api.ts'
import type { shownCounters } from './counters.ts'
import { count, replay } from './event-log.ts'

export type CloudAudit = { wrong: string[]; untold: string[] }

/**
 * What is wrong with tasks, and what their logs leave untold as yet: storage without one transaction for all writes a
 * task first and its event next, so of a worker that is killed in between others have to tell what it did.
 */
export const auditCloud = async (
  api: Api,
  tasks: readonly Task[],
  journal: readonly JournalLine[],
): Promise<CloudAudit> => {
  const runs = Map.groupBy(journal, ({ taskId }) => taskId)
  const audit: CloudAudit = { wrong: [], untold: [] }
  for (const { id } of tasks) {
    const [task, events] = await Promise.all([api.task(id), api.events(id)])
    const untold = untoldOf(task, events).map((what) => `${id}: ${what}`)
    const wrong = [...wrongWith(task, runs.get(id) ?? []), ...wrongIn(task, events, untold.length > 0)]
    audit.untold.push(...untold)
    audit.wrong.push(...wrong.map((what) => `${id}: ${what}`))
  }
  return audit
}

const attemptsOf = (events: readonly TaskEvent[], type: TaskEvent['type']) =>
  events.filter((event) => event.type === type).map(({ attempt }) => attempt)

/** What a worker did to the task and its log does not say. */
const untoldOf = (task: Task, events: readonly TaskEvent[]): string[] => {
  const started = attemptsOf(events, 'started')
  const starts = Array.from({ length: task.attempts }, (_, n) => n + 1).filter((n) => !started.includes(n))
  return [
    ...starts.map((attempt) => `start of attempt ${attempt}`),
    ...(count(events, 'completed') === 0 ? ['completion'] : []),
  ]
}

const failing = (claims: readonly [what: string, holds: boolean][]) =>
  claims.filter(([, holds]) => !holds).map(([what]) => what)

/** The row, and what was run for it. */
const wrongWith = (task: Task, runs: readonly JournalLine[]): string[] => {
  const ofLast = (did: JournalLine['did']) =>
    runs.filter((run) => run.did === did && run.attempt === task.attempts).length
  return failing([
    [`is ${task.status}`, task.status === 'completed'],
    [`its result is ${task.result?.output}`, task.result?.output === `attempt ${task.attempts}`],
    [`its last attempt began ${ofLast('start')} times`, ofLast('start') === 1],
    [`its last attempt ended ${ofLast('end')} times`, ofLast('end') === 1],
  ])
}

/** The log: nothing in it twice, and where nothing is untold, it is the way that the lifecycle has. */
const wrongIn = (task: Task, events: readonly TaskEvent[], hasGaps: boolean): string[] => {
  const started = attemptsOf(events, 'started')
  const completed = attemptsOf(events, 'completed')
  const replayed = replay(events)
  return failing([
    [`started attempts ${started}`, new Set(started).size === started.length],
    [`completed ${completed.length} times`, completed.length <= 1],
    [`completed in attempt ${completed}`, completed.every((attempt) => attempt === task.attempts)],
    [`recovered ${count(events, 'recovered')} times`, count(events, 'recovered') === task.attempts - 1],
    [
      `its log says ${JSON.stringify(replayed)}`,
      hasGaps || ('status' in replayed && replayed.status === task.status),
    ],
  ])
}

/** What the counters lack against these completed tasks. */
export const uncountedOf = (
  { byStatus, completedDaily }: Awaited<ReturnType<typeof shownCounters>>,
  tasks: readonly Task[],
) => {
  const { completed = 0, queued = 0, in_progress = 0 } = byStatus
  return {
    completions: tasks.length - completed,
    completionsOfDay: tasks.length - completedDaily,
    // A start that was not counted leaves its task queued for the counters, and takes one from those in progress.
    starts: queued,
    inProgress: in_progress,
  }
}
