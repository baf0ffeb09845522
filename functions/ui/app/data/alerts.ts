import { useQuery } from '@tanstack/react-query'
import type {
  AlertTopic,
  EmailAlerts,
  PushSubscription as Subscribed,
} from '../../../../lib/alerts/schema.ts'
import { refetch, useChange } from './change.ts'
import { client } from './client.ts'

export type { AlertTopic, EmailAlerts, Subscribed }

const key = ['alerts'] as const
const WORKER = '/push-worker.js'

export const useAlerts = () =>
  useQuery({ queryKey: key, queryFn: ({ signal }) => client.listPushSubscriptions({}, { signal }) })

/** Plain http offers it on this machine alone. */
export const canPush = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window

const ownEndpoint = async () =>
  (await (await navigator.serviceWorker.getRegistration(WORKER))?.pushManager.getSubscription()) ?? undefined

/** Opens in this tab what a clicked notification is about, as the worker asks. */
export const followNotifications = (open: (path: string) => void): void => {
  if (!('serviceWorker' in navigator)) return
  navigator.serviceWorker.addEventListener('message', ({ data }) => {
    if (typeof data?.open === 'string') open(data.open)
  })
}

const OWN = 'subscription-of-this-browser'

/** The id of the subscription of this browser, which the service gave when it was made. */
export const ownId = () => {
  try {
    return localStorage.getItem(OWN) ?? undefined
  } catch {
    return undefined
  }
}

type Wanted = { publicKey: string; device: string; topics: readonly AlertTopic[] }

/** Asks the person and the browser. Throws with what to do where one of them refuses. */
const subscribe = async ({ publicKey, device, topics }: Wanted) => {
  if ((await Notification.requestPermission()) !== 'granted')
    throw new Error('Notifications are blocked for this site. Allow them in the settings of your browser.')
  await navigator.serviceWorker.register(WORKER)
  const { pushManager } = await navigator.serviceWorker.ready
  // One that was made with another key cannot be used: the data of the service is another.
  const options = { userVisibleOnly: true, applicationServerKey: publicKey }
  const made = await pushManager.subscribe(options).catch(async () => {
    await (await pushManager.getSubscription())?.unsubscribe()
    return pushManager.subscribe(options)
  })
  const { endpoint = '', keys: { p256dh = '', auth = '' } = {} } = made.toJSON()
  const body = { endpoint, keys: { p256dh, auth }, device, topics: [...topics] }
  const { subscription } = await client.createPushSubscription({ body })
  localStorage.setItem(OWN, subscription.id)
}

const unsubscribe = async (id: string) => {
  await client.deletePushSubscription({ params: { id } })
  if (id !== ownId()) return
  localStorage.removeItem(OWN)
  await (await ownEndpoint())?.unsubscribe()
}

/** How long a sign-out waits for it: without an answer, the service ends the subscription with the session. */
const SIGN_OUT_MS = 2_000

/** Turns notifications off in this browser, as far as that succeeds; never rejects. */
export const endOwnSubscription = async (): Promise<void> => {
  const id = ownId()
  if (id === undefined) return
  localStorage.removeItem(OWN)
  // Not awaited: the push service may not answer.
  void ownEndpoint()
    .then((own) => own?.unsubscribe())
    .catch(() => undefined)
  const signal = AbortSignal.timeout(SIGN_OUT_MS)
  await client.deletePushSubscription({ params: { id } }, { signal }).catch(() => undefined)
}

export const useSubscribe = () => useChange(subscribe, key)
export const useUnsubscribe = () => useChange(unsubscribe, key)
export const useTestMessage = () =>
  useChange(async (id: string) => {
    const answer = await client.testPushSubscription({ params: { id } })
    // A browser that its push service does not know any more was removed.
    if (!answer.delivered) await refetch(key)
    return answer
  })

export const useEmailTopics = () =>
  useChange((topics: readonly AlertTopic[]) => client.setEmailAlerts({ body: { topics: [...topics] } }), key)
export const useTestEmail = () => useChange(() => client.testEmailAlerts(), key)
