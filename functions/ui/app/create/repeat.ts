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

export const LONGEST_NAME = 100

/** A schedule without a name has the title of its task. */
export const nameByTitle = (title: string): string => cutText(title, LONGEST_NAME).trim()

const ownZone = (): string => locale.get().zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone

/** Makes a schedule of a task, named by its title, in the time zone of the user. */
export const useRepeat = () => {
  const { mutateAsync, isPending, error, reset } = useCreateSchedule()
  const create = (cron: string, task: NewTask) =>
    mutateAsync({
      name: nameByTitle(task.title),
      cron,
      timezone: ownZone(),
      task: task as NewSchedule['task'],
    })
  return { create, isPending, error, reset }
}
