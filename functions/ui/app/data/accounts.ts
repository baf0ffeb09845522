import { useMutation } from '@tanstack/react-query'
import { useChange } from './change.ts'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'
import type { PageQuery } from './page.ts'

export type ProfilePatch = NonNullable<NonNullable<Parameters<typeof client.changeMe>[0]>['body']>
export const useChangeMe = () =>
  useChange((body: ProfilePatch) => client.changeMe({ body }), ['me'], ['session'])

export const useUsers = (query: PageQuery) =>
  useLive(['users', query], (signal) => client.listUsers({ query }, { signal }), EVERY_MS.calm)
export type ListedUser = NonNullable<ReturnType<typeof useUsers>['data']>['users'][number]
export type UserChange = NonNullable<Parameters<typeof client.changeUser>[0]['body']>
export const useChangeUser = (id: string) =>
  useChange((body: UserChange) => client.changeUser({ params: { id }, body }), ['users'])

export const useInvites = (query: PageQuery) =>
  useLive(['invites', query], (signal) => client.listInvites({ query }, { signal }), EVERY_MS.calm)
export type NewInvite = NonNullable<NonNullable<Parameters<typeof client.createInvite>[0]>['body']>
export const useCreateInvite = () =>
  useChange(async (body: NewInvite) => (await client.createInvite({ body })).invite, ['invites'])
export const useDeleteInvite = () =>
  useChange((id: string) => client.deleteInvite({ params: { id } }), ['invites'])

export const useCreateResetCode = (id: string) =>
  useMutation({ mutationFn: () => client.createResetCode({ params: { id } }) })

type PasswordChange = Parameters<typeof client.changePassword>[0]['body']
export const useChangePassword = () =>
  useChange((body: PasswordChange) => client.changePassword({ body }), ['sessions'])

export const useSessions = (query: PageQuery) =>
  useLive(['sessions', query], (signal) => client.listSessions({ query }, { signal }), EVERY_MS.calm)
export type ListedSession = NonNullable<ReturnType<typeof useSessions>['data']>['sessions'][number]
export const useEndSession = () =>
  useChange((id: string) => client.endSession({ params: { id } }), ['sessions'])
export const useEndOtherSessions = () => useChange(() => client.endOtherSessions(), ['sessions'])
