import { useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { BulkRun } from '../../components/bulk-run.tsx'
import { client } from '../../data/client.ts'
import { tasksKey } from '../../data/tasks.ts'
import type { TaskRow } from './rows.ts'

const verbs = {
  cancel: {
    title: 'Cancel tasks',
    past: 'cancelled',
    act: (id: string) => client.cancelTask({ params: { id } }),
  },
  retry: {
    title: 'Retry tasks',
    past: 'queued again',
    act: (id: string) => client.retryTask({ params: { id } }),
  },
} as const

export type Verb = keyof typeof verbs
type Props = { verb: Verb; tasks: readonly TaskRow[]; onClose: () => void }

/** Does it to all of them, with the tasks as they were when it began. */
export const BulkDialog = ({ verb, tasks, onClose }: Props): ReactNode => {
  const queries = useQueryClient()
  const refresh = () => queries.invalidateQueries({ queryKey: tasksKey })
  return <BulkRun {...verbs[verb]} items={tasks} onOver={refresh} onClose={onClose} />
}
