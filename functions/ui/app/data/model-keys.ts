import { useMutation } from '@tanstack/react-query'
import { useChange } from './change.ts'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'

const key = ['model-keys'] as const

/** For admins. Keys are masked. */
export const useModelKeys = () =>
  useLive(key, async (signal) => (await client.listModelKeys({}, { signal })).keys, EVERY_MS.calm)

export type ModelKey = NonNullable<ReturnType<typeof useModelKeys>['data']>[number]

type Given = { provider: string; apiKey: string }

/** Agents and chat use it at once. */
const useKeyChange = <Given, Answer>(change: (given: Given) => Promise<Answer>) =>
  useChange(change, key, ['agents'], ['models'], ['model-providers'])

export const useSetModelKey = () =>
  useKeyChange(({ provider, apiKey }: Given) =>
    client.setModelKey({ params: { provider }, body: { apiKey } }),
  )

export const useRemoveModelKey = () =>
  useKeyChange((provider: string) => client.removeModelKey({ params: { provider } }))

/** Of a typed key, or of the one in use. */
export const useCheckModelKey = () =>
  useMutation({
    mutationFn: ({ provider, apiKey }: { provider: string; apiKey?: string }) =>
      client.checkModelKey({ params: { provider }, body: apiKey === undefined ? {} : { apiKey } }),
  })
