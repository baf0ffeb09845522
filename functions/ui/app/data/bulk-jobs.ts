import { useMutation, useQuery } from '@tanstack/react-query'
import type {
  BulkAction,
  BulkJob,
  BulkPreview,
  BulkSummary,
  BulkTarget,
} from '../../../../lib/bulk/schema.ts'
import { refetch } from './change.ts'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'
import { useLivePages } from './live-pages.ts'
import { queryClient } from './query-client.ts'
import { WORK } from './streaming.ts'

type TasksBody = Parameters<typeof client.bulkTasks>[0]['body']
type DlqBody = Parameters<typeof client.bulkDlq>[0]['body']

export type BulkOrder =
  | { target: 'tasks'; body: Omit<TasksBody, 'dryRun'> }
  | { target: 'dlq'; body: Omit<DlqBody, 'dryRun'> }

export type { BulkAction, BulkJob, BulkSummary, BulkTarget }

const send = ({ target, body }: BulkOrder, dryRun: boolean) =>
  target === 'tasks'
    ? client.bulkTasks({ body: { ...body, dryRun } })
    : client.bulkDlq({ body: { ...body, dryRun } })

const key = ['bulk'] as const

/** What to do with all pending dead letters of a cause. */
export const orderOfCause = (action: 'retry' | 'discard', fingerprint: string): BulkOrder => ({
  target: 'dlq',
  body: { action, filter: { status: ['pending'], fingerprint } },
})

/** A real run returns its job. */
export const startBulk = async (order: BulkOrder): Promise<BulkJob> =>
  ((await send(order, false)) as { job: BulkJob }).job

/** A dry run. */
export const useBulkPreview = (order: BulkOrder) =>
  useQuery({
    queryKey: ['bulk-preview', order],
    // A dry run returns a preview.
    queryFn: async () => (await send(order, true)) as BulkPreview,
    gcTime: 0,
    refetchOnWindowFocus: false,
  })

export const useStartBulk = () =>
  useMutation({
    mutationFn: startBulk,
    onSuccess: (job) => queryClient.setQueryData([...key, job.id], job),
  })

export const useBulkJob = (id: string) => {
  return useLive(
    [...key, id],
    async (signal) => {
      const { job } = await client.getBulk({ params: { id } }, { signal })
      if (job.status !== 'running')
        // Without the event stream nothing else reports what the job changed.
        void refetch(...WORK)
      return job
    },
    (job) => (job === undefined || job.status === 'running' ? EVERY_MS.running : EVERY_MS.calm),
  )
}

export const useBulkJobs = () =>
  useLivePages(
    [...key, 'pages'],
    (query, signal) => client.listBulk({ query }, { signal }),
    ({ jobs }) => jobs,
  )

const RECENT = 5

export const useRecentBulkJobs = () =>
  useLive(
    [...key, 'recent'],
    async (signal) => (await client.listBulk({ query: { limit: RECENT } }, { signal })).jobs,
    (jobs) => (jobs?.some(({ status }) => status === 'running') ? EVERY_MS.running : EVERY_MS.calm),
  )

export const useCancelBulk = () =>
  useMutation({
    mutationFn: async (id: string) => (await client.cancelBulk({ params: { id } })).job,
    onSuccess: (job) => queryClient.setQueryData([...key, job.id], job),
  })
