import { type QueryKey, useMutation } from '@tanstack/react-query'
import { queryClient } from './query-client.ts'

export const refetch = (...keys: readonly QueryKey[]) =>
  Promise.all(keys.map((queryKey) => queryClient.invalidateQueries({ queryKey })))

/** A mutation. Queries under the keys are refetched afterwards, also when it failed. */
export const useChange = <Given = void, Answer = unknown>(
  change: (given: Given) => Promise<Answer>,
  ...keys: readonly QueryKey[]
) => useMutation({ mutationFn: change, onSettled: () => void refetch(...keys) })
