import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ApiError } from '../../../../lib/api/api-error.ts'
import { createClient } from '../../../../lib/api/client.ts'
import { routes } from './at-build.ts'
import { client } from './client.ts'
import { watchedFetch } from './connection.ts'
import { isSignedOut } from './query-client.ts'

/** Asks as somebody without a session would. */
const strangerFetch: typeof fetch = (input, init) => watchedFetch(input, { ...init, credentials: 'omit' })
const stranger = createClient(routes, { baseUrl: '', fetch: strangerFetch })

type Standing = Awaited<ReturnType<typeof client.me>>

/** Nobody being signed in is an answer, not an error: nothing leads to the sign-in from here. */
const standingFor = async (asking: Promise<Standing>): Promise<Standing> => {
  try {
    return await asking
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return error.body as Standing
    throw error
  }
}

const standing = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) => standingFor(client.me({}, { signal })),
})

/** Whether somebody is signed in, and how one signs in here. */
export const useStanding = () => useQuery(standing)

/** The mode of sign-in; undefined until it is known. */
export const useAuthMode = () => useStanding().data?.authMode

/** What somebody who is not signed in is told: with neither a key nor accounts he is let in. */
const openness = queryOptions({
  queryKey: ['session', 'stranger'],
  queryFn: async ({ signal }) => (await standingFor(stranger.me({}, { signal }))).authenticated,
})

/** Whether one has to sign in at all. */
export const useNeedsSignIn = () => {
  const { data } = useQuery(openness)
  return data === undefined ? undefined : !data
}

/** Everything that was known was known to somebody else, or to nobody. */
const useNewcomer = () => {
  const queries = useQueryClient()
  return () => {
    queries.clear()
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
export const useVerifyAccessKey = () =>
  useEntrance((key: string) => client.verifyAccessKey({ body: { key } }))
export const useLogout = () => useEntrance(() => client.logout())

/** Sets the access key of local mode, or removes it with null. */
export const useChangeAccessKey = () => {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (key: string | null) => client.changeAccessKey({ body: { key } }),
    onSuccess: () => queries.invalidateQueries(),
  })
}
