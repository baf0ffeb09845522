import { useMutation } from '@tanstack/react-query'
import { client } from './client.ts'
import { connectionsKey } from './integrations.ts'
import { EVERY_MS, useLive } from './live.ts'
import { queryClient } from './query-client.ts'
import { policyKey } from './security.ts'

const key = ['settings'] as const

export const useSettings = () => useLive(key, (signal) => client.readSettings({}, { signal }), EVERY_MS.calm)

export type Answer = NonNullable<ReturnType<typeof useSettings>['data']>
type Patch = NonNullable<NonNullable<Parameters<typeof client.changeSettings>[0]>['body']>

/** Values by dotted path; null resets to the default. */
export const useChangeSettings = () =>
  useMutation({
    mutationFn: (changes: Readonly<Record<string, unknown>>) =>
      client.changeSettings({ body: settingsPatch(changes) }),
    onSuccess: ({ settings, sources }) => {
      queryClient.setQueryData(key, { settings, sources })
      // It has the default mode of tasks.
      void queryClient.invalidateQueries({ queryKey: policyKey })
      // The rights of linked accounts depend on settings.
      void queryClient.invalidateQueries({ queryKey: connectionsKey })
      // They have the budget of the user.
      void queryClient.invalidateQueries({ queryKey: ['analytics'] })
    },
  })

const settingsPatch = (changes: Readonly<Record<string, unknown>>): Patch => {
  const patch: Record<string, Record<string, unknown>> = {}
  for (const [path, value] of Object.entries(changes)) {
    const [group = '', name = ''] = path.split('.')
    patch[group] = { ...patch[group], [name]: value }
  }
  return patch as Patch
}
