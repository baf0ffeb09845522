import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'
import type { PageQuery } from './page.ts'

const key = ['tokens'] as const

/** Admins see the tokens of all users. */
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

/** The response holds the only copy of the token, so it is not cached. */
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
