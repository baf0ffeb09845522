import type { Texts } from '../../components/form.tsx'
import { newTaskBody } from '../../create/new-task.ts'
import type { NewSchedule, Schedule, ScheduleChange } from '../../data/schedules.ts'

type Task = Schedule['task']

const TASK_FIELDS = [
  ...(['title', 'prompt', 'priority', 'assignedAgent', 'repository'] as const),
  ...(['branch', 'labels', 'sourceUrl'] as const),
]

/** The fields of a schedule's task as a form shows them. */
export const taskTexts = (task: Task): Texts =>
  Object.fromEntries(
    TASK_FIELDS.map((name) => {
      const value = task[name]
      return [name, Array.isArray(value) ? value.join(', ') : String(value ?? '')]
    }),
  )

const taskTextsIn = (texts: Texts) => TASK_FIELDS.map((name) => [name, texts[name] ?? ''] as [string, string])

/** What was typed as a new schedule; what does not fit is said by the service. */
export const newScheduleBody = (texts: Texts): NewSchedule => {
  const { name = '', cron = '', timezone = '' } = texts
  const task = newTaskBody(taskTextsIn(texts)) as NewSchedule['task']
  return { name: name.trim(), cron: cron.trim(), timezone: timezone.trim(), task }
}

/** What differs from the schedule, and nothing else: another user may be changing that. Fields of the task that no form has stay. */
export const scheduleChange = (schedule: Schedule, texts: Texts): ScheduleChange => {
  const { task, ...next } = newScheduleBody(texts)
  const changed = (['name', 'cron', 'timezone'] as const).filter((name) => next[name] !== schedule[name])
  const before = taskTexts(schedule.task)
  const isTask = taskTextsIn(texts).some(([name, text]) => text !== before[name])
  const others = Object.entries(schedule.task).filter(([name]) => !Object.hasOwn(before, name))
  return {
    ...Object.fromEntries(changed.map((name) => [name, next[name]])),
    ...(isTask ? { task: { ...Object.fromEntries(others), ...task } } : {}),
  }
}
