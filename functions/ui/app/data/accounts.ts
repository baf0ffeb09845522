import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'
import type { PageQuery } from './page.ts'

const useChange = <Given, Answer>(key: string, change: (given: Given) => Promise<Answer>) => {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSettled: () => void queries.invalidateQueries({ queryKey: [key] }),
  })
}

export type ProfilePatch = NonNullable<NonNullable<Parameters<typeof client.changeMe>[0]>['body']>
export const useChangeMe = () => {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: ProfilePatch) => client.changeMe({ body }),
    onSuccess: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: ['me'] }),
        queries.invalidateQueries({ queryKey: ['session'] }),
      ]),
  })
}

export const useUsers = (query: PageQuery) =>
  useLive(
    queryOptions({
      queryKey: ['users', query],
      queryFn: ({ signal }) => client.listUsers({ query }, { signal }),
    }),
    EVERY_MS.calm,
  )
export type ListedUser = NonNullable<ReturnType<typeof useUsers>['data']>['users'][number]
export type UserChange = NonNullable<Parameters<typeof client.changeUser>[0]['body']>
export const useChangeUser = (id: string) =>
  useChange('users', (body: UserChange) => client.changeUser({ params: { id }, body }))

export const useInvites = (query: PageQuery) =>
  useLive(
    queryOptions({
      queryKey: ['invites', query],
      queryFn: ({ signal }) => client.listInvites({ query }, { signal }),
    }),
    EVERY_MS.calm,
  )
export type NewInvite = NonNullable<NonNullable<Parameters<typeof client.createInvite>[0]>['body']>
export const useCreateInvite = () =>
  useChange('invites', async (body: NewInvite) => (await client.createInvite({ body })).invite)
export const useDeleteInvite = () =>
  useChange('invites', (id: string) => client.deleteInvite({ params: { id } }))

export const useCreateResetCode = (id: string) =>
  useMutation({ mutationFn: () => client.createResetCode({ params: { id } }) })

type PasswordChange = Parameters<typeof client.changePassword>[0]['body']
export const useChangePassword = () =>
  useChange('sessions', (body: PasswordChange) => client.changePassword({ body }))

export const useSessions = (query: PageQuery) =>
  useLive(
    queryOptions({
      queryKey: ['sessions', query],
      queryFn: ({ signal }) => client.listSessions({ query }, { signal }),
    }),
    EVERY_MS.calm,
  )
export type ListedSession = NonNullable<ReturnType<typeof useSessions>['data']>['sessions'][number]
export const useEndSession = () =>
  useChange('sessions', (id: string) => client.endSession({ params: { id } }))
export const useEndOtherSessions = () => useChange('sessions', () => client.endOtherSessions())
