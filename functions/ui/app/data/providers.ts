import { useMemo } from 'react'
import { routes } from './at-build.ts'
import { useSessionStatus } from './session.ts'

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

const names = Object.keys(providers) as ProviderName[]

/** Whether one signs in with a provider, and what the operator has to set before it is there at all. */
type Standing = { signsIn: boolean; needs?: string | undefined }

/** Where a service cannot tell how its providers stand, all are offered: each says why it does not lead away. */
const IN_DOUBT = names.map((name) => ({ name, signsIn: true }))

/** How each provider stands here; undefined until it is known. */
export const useStandings = (): ReadonlyMap<ProviderName, Standing> | undefined => {
  const { data } = useSessionStatus()
  return useMemo(
    () => data && new Map((data.providers ?? IN_DOUBT).map(({ name, ...standing }) => [name, standing])),
    [data],
  )
}

const namesOf = (
  standings: ReadonlyMap<ProviderName, Standing> | undefined,
  fits: (one: Standing) => boolean,
) => [...(standings ?? [])].filter(([, one]) => fits(one)).map(([name]) => name)

/** The providers that one may sign in with. */
export const useProviders = (): ProviderName[] => namesOf(useStandings(), ({ signsIn }) => signsIn)

/** The providers that an account of may be linked, also where one does not sign in with them. */
export const useLinkable = (): ProviderName[] => namesOf(useStandings(), ({ needs }) => needs === undefined)

/** Where the browser goes to sign in, or to link an account within a session. */
export const wayTo = (name: ProviderName, invite = ''): string =>
  invite === '' ? providers[name].path : `${providers[name].path}?${new URLSearchParams({ invite })}`
