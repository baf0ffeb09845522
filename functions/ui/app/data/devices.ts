import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'
import type { PageQuery } from './page.ts'

const key = ['devices'] as const

export const useIdentity = () =>
  useQuery({
    queryKey: [...key, 'identity'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => client.getDeviceIdentity({}, { signal }),
  })

/** Each call opens a pairing request for minutes, so it is made on demand. */
export const useNewQr = () => useMutation({ mutationFn: () => client.getPairingQr(), gcTime: 0 })

/** Polls until the request is decided or expired. */
export const usePairingState = (requestId: string) =>
  useLive(
    queryOptions({
      queryKey: [...key, 'state', requestId],
      gcTime: 0,
      queryFn: ({ signal }) => client.getPairingStatus({ params: { requestId } }, { signal }),
    }),
    (state) => (state === undefined || state.status === 'pending' ? EVERY_MS.running : false),
  )

export const usePendingPairings = () =>
  useLive(
    queryOptions({
      queryKey: [...key, 'pending'],
      queryFn: async ({ signal }) => (await client.listPendingPairings({}, { signal })).requests,
    }),
    EVERY_MS.list,
  )

export const usePairedDevices = (query: PageQuery) =>
  useLive(
    queryOptions({
      queryKey: [...key, 'paired', query],
      queryFn: ({ signal }) => client.listPairedDevices({ query }, { signal }),
    }),
    EVERY_MS.list,
  )

const useChange = <Given, Answer>(change: (given: Given) => Promise<Answer>) => {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSettled: () => void queries.invalidateQueries({ queryKey: key }),
  })
}

export const useApprove = () => useChange((code: string) => client.approvePairing({ body: { code } }))
export const useReject = () => useChange((code: string) => client.rejectPairing({ body: { code } }))
export const useUnpair = () => useChange((id: string) => client.revokePairedDevice({ params: { id } }))
export const useCleanup = () => useChange(() => client.cleanupPairings())
