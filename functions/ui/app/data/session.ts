import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { ApiError } from '../../../../lib/api/api-error.ts'
import { createClient } from '../../../../lib/api/client.ts'
import { endOwnSubscription } from './alerts.ts'
import { routes } from './at-build.ts'
import { client } from './client.ts'
import { watchedFetch } from './connection.ts'
import { isSignedOut, queryClient } from './query-client.ts'

const strangerFetch: typeof fetch = (input, init) => watchedFetch(input, { ...init, credentials: 'omit' })
const stranger = createClient(routes, { baseUrl: '', fetch: strangerFetch })

export type SessionStatus = Awaited<ReturnType<typeof client.me>>

/** A 401 is a result here, and does not open the sign-in. */
const statusFor = async (asking: Promise<SessionStatus>): Promise<SessionStatus> => {
  try {
    return await asking
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return error.body as SessionStatus
    throw error
  }
}

const sessionStatus = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => statusFor(client.me({}, { signal })),
})

export const useSessionStatus = () => useQuery(sessionStatus)

/** Undefined until loaded. */
export const useAuthMode = () => useSessionStatus().data?.authMode

/** An installation without key and accounts has no sign-in. */
const openness = queryOptions({
  queryKey: ['session', 'stranger'],
  queryFn: async ({ signal }) => (await statusFor(stranger.me({}, { signal }))).authenticated,
})

export const useNeedsSignIn = () => {
  const { data } = useQuery(openness)
  return data === undefined ? undefined : !data
}

/** Cached data belongs to the previous user. */
const useNewcomer = () => {
  return () => {
    queryClient.clear()
    isSignedOut.set(false)
  }
}

const useEntrance = <Given, Answer>(enter: (given: Given) => Promise<Answer>) => {
  const forget = useNewcomer()
  return useMutation({ mutationFn: enter, onSuccess: forget })
}

type Login = Parameters<typeof client.login>[0]['body']
type Signup = Parameters<typeof client.signup>[0]['body']

export const useLogin = () => useEntrance((body: Login) => client.login({ body }))
export const useSignup = () => useEntrance((body: Signup) => client.signup({ body }))
type Reset = Parameters<typeof client.resetPassword>[0]['body']
export const useResetPassword = () => useEntrance((body: Reset) => client.resetPassword({ body }))
export const usePhoneSignIn = () => useEntrance((code: string) => client.signInByPhone({ body: { code } }))
export const useVerifyAccessKey = () =>
  useEntrance((key: string) => client.verifyAccessKey({ body: { key } }))
export const useLogout = () =>
  useEntrance(async () => {
    await endOwnSubscription()
    return client.logout()
  })

/** Null removes the access key. */
export const useChangeAccessKey = () =>
  useMutation({
    mutationFn: (key: string | null) => client.changeAccessKey({ body: { key } }),
    onSuccess: () => queryClient.invalidateQueries(),
  })
