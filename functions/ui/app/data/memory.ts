import { useQuery } from '@tanstack/react-query'
import { useChange } from './change.ts'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'
import { useLivePages } from './live-pages.ts'

const key = ['memory'] as const
const MOST_FOUND = 20

export const useMemoryStats = () =>
  useLive([...key, 'stats'], (signal) => client.memoryStats({}, { signal }), EVERY_MS.calm)

export const useMemoryFiles = () =>
  useLivePages(
    [...key, 'files'],
    (query, signal) => client.listMemoryFiles({ query }, { signal }),
    ({ files }) => files.map((file) => ({ id: file.path, ...file })),
  )

export const useExcludedFiles = () =>
  useLivePages(
    [...key, 'excluded'],
    (query, signal) => client.listExcludedFiles({ query }, { signal }),
    ({ files }) => files.map((file) => ({ id: file.path, ...file })),
  )

export const useExcludedCount = () =>
  useLive(
    [...key, 'excluded', 'count'],
    async (signal) => (await client.listExcludedFiles({ query: { limit: 1 } }, { signal })).total,
    EVERY_MS.calm,
  )
export type ExcludedFile = Awaited<ReturnType<typeof client.listExcludedFiles>>['files'][number]

export const useMemoryChunks = (path: string) =>
  useLive(
    [...key, 'chunks', path],
    async (signal) => (await client.listMemoryChunks({ params: { path } }, { signal })).chunks,
    EVERY_MS.calm,
  )

/** Not refetched: semantic search costs a provider call. */
export const useMemorySearch = (query: string) =>
  useQuery({
    queryKey: [...key, 'found', query],
    queryFn: ({ signal }) => client.searchMemory({ body: { query, maxResults: MOST_FOUND } }, { signal }),
    staleTime: 60_000,
    placeholderData: (before) => before,
  })

/** Newest first; with a query, most similar first. */
export const useExperiences = (q: string | undefined) =>
  useLivePages(
    [...key, 'experiences', q],
    async (query, signal) => {
      if (q === undefined) return client.listExperiences({ query }, { signal })
      const { experiences, count } = await client.searchExperiences({ query: { q } }, { signal })
      return { experiences, total: count }
    },
    ({ experiences }) => experiences,
  )

export const useExperience = (id: string | undefined) =>
  useLive(
    [...key, 'experience', id],
    async (signal) => (await client.getExperience({ params: { id: id ?? '' } }, { signal })).experience,
    EVERY_MS.calm,
    { enabled: id !== undefined },
  )

const useMemoryChange = <Given = void, Answer = unknown>(change: (given: Given) => Promise<Answer>) =>
  useChange(change, key)

export const useSyncMemory = () => useMemoryChange(() => client.syncMemory())
export const useClearMemory = () => useMemoryChange(() => client.clearMemory())
export const useRemoveFile = () =>
  useMemoryChange((path: string) => client.removeMemoryFile({ params: { path } }))
export const useRemoveChunk = () =>
  useMemoryChange((id: string) => client.removeMemoryChunk({ params: { id } }))
export const useMemorySessions = () =>
  useLivePages(
    [...key, 'sessions'],
    (query, signal) => client.listMemorySessions({ query }, { signal }),
    ({ sessions }) => sessions,
  )
export type MemorySession = Awaited<ReturnType<typeof client.listMemorySessions>>['sessions'][number]
export const useCreateSession = () =>
  useMemoryChange((body: { name: string }) => client.createMemorySession({ body }))
export const useArchiveSession = () =>
  useMemoryChange((id: string) => client.archiveMemorySession({ params: { id } }))
export const useWarmMemory = () => useMemoryChange((query: string) => client.warmMemory({ body: { query } }))
type NewExperience = Parameters<typeof client.createExperience>[0]['body']
export const useCreateExperience = () =>
  useMemoryChange((body: NewExperience) => client.createExperience({ body }))

export type Given = { kind: 'chunk' | 'experience'; id: string }

/** Ratings by item id. */
export const useVerdicts = (taskId: string) =>
  useLive(
    [...key, 'verdicts', taskId],
    async (signal) => {
      const { verdicts } = await client.listMemoryVerdicts({ query: { taskId } }, { signal })
      return new Map(verdicts.map(({ id, useful }) => [id, useful]))
    },
    EVERY_MS.calm,
  )

export const useRateMemory = (taskId: string) =>
  useMemoryChange(({ kind, id, useful }: Given & { useful: boolean }) =>
    kind === 'chunk'
      ? client.rateMemoryChunk({ params: { id }, body: { useful, taskId } })
      : // biome-ignore lint/correctness/useHookAtTopLevel: the name of a route, and no hook.
        client.useExperience({ params: { id }, body: { useful, taskId } }),
  )
export const useRemoveExperience = () =>
  useMemoryChange((id: string) => client.removeExperience({ params: { id } }))
