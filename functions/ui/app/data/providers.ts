import { useMemo } from 'react'
import { routes } from './at-build.ts'
import { useSessionStatus } from './session.ts'

/** How one goes to each provider, and what it is called here. */
export const providers = {
  codehost: { label: 'the code host', path: routes.beginCodehost.path },
  trackera: { label: 'tracker A', path: routes.beginTrackera.path },
  trackerb: { label: 'tracker B', path: routes.beginTrackerb.path },
  oidc: { label: 'single sign-on', path: routes.beginOidc.path },
} as const
export type ProviderName = keyof typeof providers

/** What a provider is called at the beginning of a line. */
export const providerTitle = (name: ProviderName): string => {
  const label = providers[name].label.replace(/^the /, '')
  return label.charAt(0).toUpperCase() + label.slice(1)
}

const names = Object.keys(providers) as ProviderName[]

/** Whether one signs in with a provider, and what the operator has to set before it is there at all. */
type ProviderStatus = { signsIn: boolean; needs?: string | undefined }

/** Where a service cannot tell how its providers stand, all are offered: each says why it does not lead away. */
const IN_DOUBT = names.map((name) => ({ name, signsIn: true }))

/** How each provider stands here; undefined until it is known. */
export const useProviderStatuses = (): ReadonlyMap<ProviderName, ProviderStatus> | undefined => {
  const { data } = useSessionStatus()
  return useMemo(
    () => data && new Map((data.providers ?? IN_DOUBT).map(({ name, ...status }) => [name, status])),
    [data],
  )
}

const matchingNames = (
  statuses: ReadonlyMap<ProviderName, ProviderStatus> | undefined,
  fits: (one: ProviderStatus) => boolean,
) => [...(statuses ?? [])].filter(([, one]) => fits(one)).map(([name]) => name)

/** The providers that one may sign in with. */
export const useProviders = (): ProviderName[] =>
  matchingNames(useProviderStatuses(), ({ signsIn }) => signsIn)

/** The providers that an account of may be linked, also where one does not sign in with them. */
export const useLinkable = (): ProviderName[] =>
  matchingNames(useProviderStatuses(), ({ needs }) => needs === undefined)

/** Where the browser goes to sign in, or to link an account within a session. */
export const wayTo = (name: ProviderName, invite = ''): string =>
  invite === '' ? providers[name].path : `${providers[name].path}?${new URLSearchParams({ invite })}`
