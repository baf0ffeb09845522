import { cutText } from '../../../../lib/core/cut-text.ts'
import { groupedErrors } from '../components/field-errors.ts'
import { locale } from '../data/locale.ts'
import { type NewSchedule, useCreateSchedule } from '../data/schedules.ts'
import type { NewTask } from '../data/tasks.ts'

/** Messages about the task of a schedule, by field name. */
export const taskErrors = (error: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(groupedErrors(error)).flatMap(([path, message]) =>
      path.startsWith('task.') ? [[path.slice('task.'.length), message]] : [],
    ),
  )

const LONGEST_NAME = 100

const ownZone = (): string => locale.get().zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone

/** Makes a schedule of a task, named by its title, in the time zone of the user. */
export const useRepeat = () => {
  const { mutateAsync, isPending, error } = useCreateSchedule()
  const create = (cron: string, task: NewTask) =>
    mutateAsync({
      name: cutText(task.title, LONGEST_NAME).trim(),
      cron,
      timezone: ownZone(),
      task: task as NewSchedule['task'],
    })
  return { create, isPending, error }
}
