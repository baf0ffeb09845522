import type { Texts } from '../../components/form.tsx'
import { newTaskBody } from '../../create/new-task.ts'
import type { NewSchedule, Schedule, ScheduleChange } from '../../data/schedules.ts'

type Task = Schedule['task']

const TASK_FIELDS = [
  ...(['title', 'prompt', 'priority', 'assignedAgent', 'repository'] as const),
  ...(['branch', 'labels', 'runsOn', 'sourceUrl'] as const),
]

export const taskTexts = (task: Task): Texts =>
  Object.fromEntries(
    TASK_FIELDS.map((name) => {
      const value = task[name]
      return [name, Array.isArray(value) ? value.join(', ') : String(value ?? '')]
    }),
  )

const taskTextsIn = (texts: Texts) => TASK_FIELDS.map((name) => [name, texts[name] ?? ''] as [string, string])

/** The service validates. */
export const newScheduleBody = (texts: Texts): NewSchedule => {
  const { name = '', cron = '', timezone = '' } = texts
  const task = newTaskBody(taskTextsIn(texts)) as NewSchedule['task']
  return { name: name.trim(), cron: cron.trim(), timezone: timezone.trim(), task }
}

/** Only what changed, since another user may be editing the rest. Task fields without an input are kept. */
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
