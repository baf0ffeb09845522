import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useChange } from './change.ts'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'
import type { PageQuery } from './page.ts'
import { tasksKey } from './tasks.ts'

const key = ['schedules'] as const

/** Newest first, without long task texts. */
export const useSchedules = (query: PageQuery) =>
  useLive([...key, 'list', query], (signal) => client.listSchedules({ query }, { signal }), EVERY_MS.calm)
export type ListedSchedule = NonNullable<ReturnType<typeof useSchedules>['data']>['schedules'][number]

/** Not refetched while it is edited, which would overwrite input. */
export const useSchedule = (id: string) =>
  useQuery({
    queryKey: [...key, 'one', id],
    queryFn: async ({ signal }) => (await client.getSchedule({ params: { id } }, { signal })).schedule,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  })
export type Schedule = NonNullable<ReturnType<typeof useSchedule>['data']>

export const useDueTimes = (cron: string, timezone: string) =>
  useQuery({
    queryKey: [...key, 'preview', cron, timezone],
    queryFn: async ({ signal }) =>
      (await client.previewSchedule({ query: { cron, timezone } }, { signal })).nextRuns,
    enabled: cron !== '' && timezone !== '',
    placeholderData: keepPreviousData,
    staleTime: EVERY_MS.calm,
  })

const useScheduleChange = <Given = void, Answer = unknown>(change: (given: Given) => Promise<Answer>) =>
  useChange(change, [...key, 'list'])

export type NewSchedule = Parameters<typeof client.createSchedule>[0]['body']
export type ScheduleChange = NonNullable<Parameters<typeof client.changeSchedule>[0]['body']>

export const useCreateSchedule = () =>
  useScheduleChange(async (body: NewSchedule) => (await client.createSchedule({ body })).schedule)

export const useChangeSchedule = (id: string) =>
  useScheduleChange(
    async (body: ScheduleChange) => (await client.changeSchedule({ params: { id }, body })).schedule,
  )

export const useDeleteSchedule = () =>
  useScheduleChange((id: string) => client.deleteSchedule({ params: { id } }))

export const useRunSchedule = (id: string) =>
  useChange(async () => (await client.runSchedule({ params: { id } })).task, [...key, 'list'], tasksKey)
