import { useMemo } from 'react'
import { routes } from './at-build.ts'
import { useSessionStatus } from './session.ts'

/** Provider labels as used within a sentence. */
export const providers = {
  codehost: { label: 'GitHub', path: routes.beginCodehost.path },
  trackera: { label: 'Jira', path: routes.beginTrackera.path },
  trackerb: { label: 'Linear', path: routes.beginTrackerb.path },
  oidc: { label: 'single sign-on', path: routes.beginOidc.path },
} as const
export type ProviderName = keyof typeof providers

/** The label at the start of a sentence. */
export const providerTitle = (name: ProviderName): string => {
  const { label } = providers[name]
  return label.charAt(0).toUpperCase() + label.slice(1)
}

const names = Object.keys(providers) as ProviderName[]

/** `needs`: what the operator has to configure. */
type ProviderStatus = { signsIn: boolean; needs?: string | undefined }

/** Offered when the service does not report provider statuses. */
const IN_DOUBT = names.map((name) => ({ name, signsIn: true }))

/** Undefined until loaded. */
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

export const useProviders = (): ProviderName[] =>
  matchingNames(useProviderStatuses(), ({ signsIn }) => signsIn)

/** Includes providers that are not offered for sign-in. */
export const useLinkable = (): ProviderName[] =>
  matchingNames(useProviderStatuses(), ({ needs }) => needs === undefined)

export const wayTo = (name: ProviderName, invite = ''): string =>
  invite === '' ? providers[name].path : `${providers[name].path}?${new URLSearchParams({ invite })}`
