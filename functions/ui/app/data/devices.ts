import { useMutation, useQuery } from '@tanstack/react-query'
import { useChange } from './change.ts'
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
    [...key, 'state', requestId],
    (signal) => client.getPairingStatus({ params: { requestId } }, { signal }),
    (state) => (state === undefined || state.status === 'pending' ? EVERY_MS.running : false),
    { gcTime: 0 },
  )

export const usePendingPairings = () =>
  useLive(
    [...key, 'pending'],
    async (signal) => (await client.listPendingPairings({}, { signal })).requests,
    EVERY_MS.list,
  )

export const usePairedDevices = (query: PageQuery) =>
  useLive(
    [...key, 'paired', query],
    (signal) => client.listPairedDevices({ query }, { signal }),
    EVERY_MS.list,
  )

const useDeviceChange = <Given = void, Answer = unknown>(change: (given: Given) => Promise<Answer>) =>
  useChange(change, key)

export const useApprove = () => useDeviceChange((code: string) => client.approvePairing({ body: { code } }))
export const useReject = () => useDeviceChange((code: string) => client.rejectPairing({ body: { code } }))
export const useRevokeDevice = () =>
  useDeviceChange((id: string) => client.revokePairedDevice({ params: { id } }))
export const useCleanup = () => useDeviceChange(() => client.cleanupPairings())
