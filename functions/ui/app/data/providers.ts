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

/** What a provider is called at the beginning of a line. */
export const titleOf = (name: ProviderName): string => {
  const says = providers[name].says.replace(/^the /, '')
  return says.charAt(0).toUpperCase() + says.slice(1)
}

const UNSUPPORTED = 501
const NOT_CONFIGURED = 'oauth_not_configured'
const names = Object.keys(providers) as ProviderName[]

/** Whether one signs in with a provider, and what the operator has to set before it is there at all. */
type Standing = { signsIn: boolean; needs?: string }

/**
 * No route lists what is configured, so each is asked to begin: it leads away, or says why it does not. Without
 * cookies, or it would take the place of a sign-in that another tab has begun. What is in doubt is offered.
 */
const standingOf = async (name: ProviderName, signal: AbortSignal): Promise<Standing> => {
  const asked = { credentials: 'omit', redirect: 'manual', signal } as const
  const answer = await fetch(providers[name].path, asked)
  if (answer.status !== UNSUPPORTED) {
    await answer.body?.cancel()
    return { signsIn: true }
  }
  const { code, error } = (await answer.json()) as { code: string; error: string }
  return { signsIn: false, ...(code === NOT_CONFIGURED ? { needs: error } : {}) }
}

/** How each provider stands here; asked once for as long as the page is open. */
export const useStandings = (isWanted = true) =>
  useQuery({
    queryKey: ['providers'],
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const standings = await Promise.all(names.map((name) => standingOf(name, signal)))
      return new Map(names.map((name, at) => [name, standings[at] ?? { signsIn: true }]))
    },
  })

const namesOf = (
  standings: ReadonlyMap<ProviderName, Standing> | undefined,
  fits: (one: Standing) => boolean,
) => [...(standings ?? [])].filter(([, one]) => fits(one)).map(([name]) => name)

/** The providers that one may sign in with. */
export const useProviders = (): ProviderName[] => namesOf(useStandings().data, ({ signsIn }) => signsIn)

/** The providers that an account of may be linked, also where one does not sign in with them. */
export const useLinkable = (): ProviderName[] =>
  namesOf(useStandings().data, ({ needs }) => needs === undefined)

/** Where the browser goes to sign in, or to link an account within a session. */
export const wayTo = (name: ProviderName, invite = ''): string =>
  invite === '' ? providers[name].path : `${providers[name].path}?${new URLSearchParams({ invite })}`
