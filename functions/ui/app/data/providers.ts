import { useQuery } from '@tanstack/react-query'
import { routes } from './at-build.ts'

/** How one goes to each provider, and what it is called here. */
export const providers = {
  codehost: { says: 'the code host', path: routes.beginCodehost.path },
  trackera: { says: 'tracker A', path: routes.beginTrackera.path },
  trackerb: { says: 'tracker B', path: routes.beginTrackerb.path },
  oidc: { says: 'single sign-on', path: routes.beginOidc.path },
} as const
export type ProviderName = keyof typeof providers

const NOT_CONFIGURED = 501
const names = Object.keys(providers) as ProviderName[]

/**
 * No route lists what is configured, so each is asked to begin: it leads away, or says that it is not there. Without
 * cookies, or it would take the place of a sign-in that another tab has begun. What is in doubt is offered.
 */
const isConfigured = async (name: ProviderName, signal: AbortSignal): Promise<boolean> => {
  const asked = { credentials: 'omit', redirect: 'manual', signal } as const
  const { status, body } = await fetch(providers[name].path, asked)
  await body?.cancel()
  return status !== NOT_CONFIGURED
}

/** The providers that one may sign in with, or link an account of; asked once for as long as the page is open. */
export const useProviders = (isWanted = true) =>
  useQuery({
    queryKey: ['providers'],
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const there = await Promise.all(names.map((name) => isConfigured(name, signal)))
      return names.filter((_, at) => there[at])
    },
  })

/** Where the browser goes to sign in, or to link an account when somebody is signed in. */
export const wayTo = (name: ProviderName, invite = ''): string =>
  invite === '' ? providers[name].path : `${providers[name].path}?${new URLSearchParams({ invite })}`
