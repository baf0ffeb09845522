import { useMutation } from '@tanstack/react-query'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'

const key = ['phone-link'] as const

/** Each call makes a link that is valid for minutes, so it is made on demand. */
export const useNewPhoneLink = () => useMutation({ mutationFn: () => client.createPhoneLink(), gcTime: 0 })

/** Polls until the link is used or expired. */
export const usePhoneLinkState = (id: string) =>
  useLive(
    [...key, id],
    (signal) => client.getPhoneLink({ params: { id } }, { signal }),
    (state) => (state === undefined || state.status === 'open' ? EVERY_MS.running : false),
    { gcTime: 0 },
  )
