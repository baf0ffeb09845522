import {
  type InfiniteData,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
} from '@tanstack/react-query'
import type { ChatMessage } from '../../../../lib/turns/schema.ts'
import { useChange } from './change.ts'
import { client } from './client.ts'
import { EVERY_MS, intervalAfter, useLive } from './live.ts'
import { useLivePages } from './live-pages.ts'
import { queryClient } from './query-client.ts'

export type { ChatMessage }

const key = ['conversations'] as const
const PAGE = 50
const MOST_LIVE = 5

export const useConversations = () =>
  useLivePages(
    [...key, 'list'],
    (query, signal) => client.listConversations({ query }, { signal }),
    ({ conversations }) => conversations,
  )
export type Conversation = ReturnType<typeof useConversations>['rows'][number]

type Page = Awaited<ReturnType<typeof client.getConversation>>

const MOST_TITLES = 200
const TITLES_FRESH_MS = 30_000

/** The newest conversations, for the command palette. */
export const conversationTitles = queryOptions({
  queryKey: [...key, 'titles'],
  queryFn: async ({ signal }) =>
    (await client.listConversations({ query: { limit: MOST_TITLES } }, { signal })).conversations,
  staleTime: TITLES_FRESH_MS,
})

/** An answer is due, or the turn continues after a decision. */
const isAwaited = (data: InfiniteData<Page> | undefined) => {
  const last = data?.pages[0]?.messages.at(-1)
  return last?.role === 'user' || last?.toolCalls?.some(({ status }) => status === 'pending') === true
}

/** A refetch loads every page, so a conversation that is scrolled far up is not refetched. */
const messagesInterval = (data: InfiniteData<Page> | undefined) => {
  if (data && data.pages.length > MOST_LIVE) return false
  return isAwaited(data) ? EVERY_MS.list : EVERY_MS.calm
}

export const conversationKey = (id: string) => [...key, 'one', id]

/** Messages oldest first; `onMore` loads earlier ones. */
export const useConversation = (id: string) => {
  const query = useInfiniteQuery({
    queryKey: conversationKey(id),
    queryFn: ({ pageParam, signal }) => {
      const asked = { limit: PAGE, ...(pageParam === '' ? {} : { cursor: pageParam }) }
      return client.getConversation({ params: { id }, query: asked }, { signal })
    },
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }: Page) => nextCursor,
    refetchInterval: ({ state }) => intervalAfter(state.error, messagesInterval(state.data)),
  })
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query
  const messages = data?.pages.toReversed().flatMap((page) => page.messages) ?? []
  return {
    ...query,
    conversation: data?.pages[0]?.conversation,
    /** A message that moved between pages is listed once. */
    messages: [...new Map(messages.map((message) => [message.id, message])).values()],
    onMore: hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined,
  }
}

export const useCreateConversation = () =>
  useChange(async () => (await client.createConversation({ body: {} })).conversation, [...key, 'list'])

export const useRemoveConversation = () =>
  useMutation({
    mutationFn: (id: string) => client.removeConversation({ params: { id } }),
    onSuccess: (_answer, id) => queryClient.removeQueries({ queryKey: conversationKey(id) }),
    onSettled: () => void queryClient.invalidateQueries({ queryKey: [...key, 'list'] }),
  })

export const useModels = () =>
  useQuery({
    queryKey: ['models'],
    queryFn: async ({ signal }) => (await client.listModels({ query: {} }, { signal })).models,
    staleTime: 300_000,
  })

export const useModelProviders = () =>
  useLive(
    ['model-providers'],
    async (signal) => {
      const answer = await client.listProviders({}, { signal })
      return { default: answer.default, providers: answer.providers.filter(({ configured }) => configured) }
    },
    false,
    { staleTime: 60_000 },
  )
