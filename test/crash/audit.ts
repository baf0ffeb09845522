import type { Task, TaskEvent } from '../../lib/tasks/schema.ts'
import type { JournalLine } from '../fixtures/agents/scripted.ts'
import { type Api, taskPages } from '../journeys/api.ts'
import { count, replay } from './event-log.ts'

const AT_ONCE = 16

/** Every task of the list, walked by cursor; an id that comes twice comes twice. */
export const walk = async (api: Api): Promise<Task[]> => {
  const tasks: Task[] = []
  for await (const page of taskPages(api)) tasks.push(...page.tasks)
  return tasks
}

/** What is wrong with a list as such: a task twice, or one that was acknowledged and is not there. */
export const auditList = (tasks: readonly Task[], acknowledged: readonly string[]): string[] => {
  const ids = new Set(tasks.map(({ id }) => id))
  const titles = new Set(tasks.map(({ title }) => title))
  return [
    ...(ids.size === tasks.length ? [] : [`${tasks.length - ids.size} tasks are listed twice`]),
    ...(titles.size === tasks.length ? [] : [`${tasks.length - titles.size} creates made two tasks`]),
    ...acknowledged.filter((id) => !ids.has(id)).map((id) => `${id} was acknowledged and is lost`),
  ]
}

/** Every task, once none waits or runs, and all that is wrong with the list and with its tasks. */
export const auditAll = async (
  api: Api,
  acknowledged: readonly string[],
  journal: () => readonly JournalLine[],
): Promise<{ tasks: Task[]; wrong: string[] }> => {
  await api.untilIdle()
  const tasks = await walk(api)
  const wrong = [...auditList(tasks, acknowledged), ...(await auditTasks(api, tasks, journal()))]
  return { tasks, wrong }
}

/** What is wrong with single tasks, each read with its event log. */
export const auditTasks = async (
  api: Api,
  tasks: readonly Task[],
  journal: readonly JournalLine[],
): Promise<string[]> => {
  const runs = Map.groupBy(journal, ({ taskId }) => taskId)
  const found: string[] = []
  const left = [...tasks]
  const auditor = async () => {
    for (let task = left.pop(); task; task = left.pop()) {
      const [whole, events] = await Promise.all([api.task(task.id), api.events(task.id)])
      found.push(...auditTask(whole, events, runs.get(task.id) ?? []).map((text) => `${whole.id}: ${text}`))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, auditor))
  return found
}

const auditTask = (task: Task, events: readonly TaskEvent[], runs: readonly JournalLine[]): string[] => {
  const replayed = replay(events)
  const completions = events.filter(({ type }) => type === 'completed')
  const starts = runs.filter(({ did }) => did === 'start').map(({ attempt }) => attempt)
  const claims: [what: string, holds: boolean][] = [
    [`is ${task.status}`, task.status === 'completed'],
    [`its log says ${JSON.stringify(replayed)}`, 'status' in replayed && replayed.status === task.status],
    [`completed ${completions.length} times`, completions.length === 1],
    [`completed in attempt ${completions[0]?.attempt}`, completions[0]?.attempt === task.attempts],
    [`its result is ${task.result?.output}`, task.result?.output === `attempt ${task.attempts}`],
    [
      `${count(events, 'started')} starts, ${task.attempts} attempts`,
      count(events, 'started') === task.attempts,
    ],
    [`recovered ${count(events, 'recovered')} times`, count(events, 'recovered') === task.attempts - 1],
    // A kill between claim and run leaves an attempt that nobody ran.
    [`ran attempts ${starts}`, starts.includes(task.attempts)],
    [
      'completed without having ended',
      runs.some((run) => run.did === 'end' && run.attempt === task.attempts),
    ],
  ]
  return claims.filter(([, holds]) => !holds).map(([what]) => what)
}

/** The runs of an attempt that had run already, each by what ran it before: of every claim that counted there is one. */
export const rerun = (journal: readonly JournalLine[]): JournalLine[] => {
  const last = new Map<string, JournalLine>()
  const again: JournalLine[] = []
  for (const line of journal.filter(({ did }) => did === 'start')) {
    const before = last.get(`${line.taskId} ${line.attempt}`)
    if (before) again.push(before)
    last.set(`${line.taskId} ${line.attempt}`, line)
  }
  return again
}
