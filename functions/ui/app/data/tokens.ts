import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'
import type { PageQuery } from './page.ts'

const key = ['tokens'] as const

/** The user's API tokens, newest first; for admins those of all users. */
export const useTokens = (query: PageQuery) =>
  useLive(
    queryOptions({
      queryKey: [...key, query],
      queryFn: ({ signal }) => client.listTokens({ query }, { signal }),
    }),
    EVERY_MS.calm,
  )

export type NewToken = Parameters<typeof client.createToken>[0]['body']
export type Scope = NewToken['scopes'][number]

/** The text of the new token is in the answer of this, and nowhere else: it is not kept once that is left. */
export const useCreateToken = () => {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: NewToken) => client.createToken({ body }),
    gcTime: 0,
    onSettled: () => void queries.invalidateQueries({ queryKey: key }),
  })
}

export const useRevokeToken = () => {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => client.revokeToken({ params: { id } }),
    onSettled: () => void queries.invalidateQueries({ queryKey: key }),
  })
}
