import type { Texts } from '../../components/form.tsx'
import { limitTexts } from '../../create/limits.ts'
import { newTaskBody } from '../../create/new-task.ts'
import { nameByTitle } from '../../create/repeat.ts'
import type { NewSchedule, Schedule, ScheduleChange } from '../../data/schedules.ts'

type Task = Schedule['task']

const TASK_FIELDS = [
  ...(['title', 'prompt', 'priority', 'assignedAgent', 'repository'] as const),
  ...(['branch', 'labels', 'runsOn', 'sourceUrl'] as const),
]

const MODE = 'securityMode'
const LIMITS = ['timeoutMs', 'maxSteps', 'maxCostUsd'] as const
const INPUTS: readonly string[] = [...TASK_FIELDS, MODE, ...LIMITS]

export const taskTexts = (task: Task): Texts => ({
  ...Object.fromEntries(
    TASK_FIELDS.map((name) => {
      const value = task[name]
      return [name, Array.isArray(value) ? value.join(', ') : String(value ?? '')]
    }),
  ),
  [MODE]: String(task.metadata?.[MODE] ?? ''),
  ...Object.fromEntries(LIMITS.map((name) => [name, ''])),
  ...limitTexts(task),
})

const taskTextsIn = (texts: Texts) => INPUTS.map((name) => [name, texts[name] ?? ''] as [string, string])

/** The service validates. */
export const newScheduleBody = (texts: Texts): NewSchedule => {
  const { name = '', cron = '', timezone = '' } = texts
  const task = newTaskBody(taskTextsIn(texts)) as NewSchedule['task']
  return {
    name: name.trim() || nameByTitle(task.title ?? ''),
    cron: cron.trim(),
    timezone: timezone.trim(),
    task,
  }
}

/** Only what changed, since another user may be editing the rest. Task fields without an input are kept. */
export const scheduleChange = (schedule: Schedule, texts: Texts): ScheduleChange => {
  const { task, ...next } = newScheduleBody(texts)
  const changed = (['name', 'cron', 'timezone'] as const).filter((name) => next[name] !== schedule[name])
  const before = taskTexts(schedule.task)
  const isTask = taskTextsIn(texts).some(([name, text]) => text !== before[name])
  const { metadata: { [MODE]: _, ...kept } = {}, ...rest } = schedule.task
  const others = Object.entries(rest).filter(([name]) => !Object.hasOwn(before, name))
  const metadata = { ...kept, ...task.metadata }
  return {
    ...Object.fromEntries(changed.map((name) => [name, next[name]])),
    ...(isTask && {
      task: {
        ...Object.fromEntries(others),
        ...task,
        ...(Object.keys(metadata).length > 0 && { metadata }),
      },
    }),
  }
}
