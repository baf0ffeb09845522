import { useMutation } from '@tanstack/react-query'
import { useChange } from './change.ts'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'
import type { PageQuery } from './page.ts'
import { queryClient } from './query-client.ts'

const key = ['tokens'] as const

/** Admins see the tokens of all users. */
export const useTokens = (query: PageQuery) =>
  useLive([...key, query], (signal) => client.listTokens({ query }, { signal }), EVERY_MS.calm)

export type NewToken = Parameters<typeof client.createToken>[0]['body']
export type Scope = NewToken['scopes'][number]

/** The response holds the only copy of the token, so it is not cached. */
export const useCreateToken = () =>
  useMutation({
    mutationFn: (body: NewToken) => client.createToken({ body }),
    gcTime: 0,
    onSettled: () => void queryClient.invalidateQueries({ queryKey: key }),
  })

export const useRevokeToken = () => useChange((id: string) => client.revokeToken({ params: { id } }), key)
