import { useMutation } from '@tanstack/react-query'
import type { Webhook, WebhookDelivery } from '../../../../lib/outbound-webhooks/schema.ts'
import { refetch, useChange } from './change.ts'
import { client } from './client.ts'
import { EVERY_MS, useLive } from './live.ts'
import { useLivePages } from './live-pages.ts'

export type { Webhook, WebhookDelivery }
export type NewWebhook = Parameters<typeof client.createWebhook>[0]['body']
export type WebhookChange = NonNullable<Parameters<typeof client.changeWebhook>[0]['body']>
export type EventName = Webhook['events'][number]

const key = ['webhooks'] as const
/** Deliveries include bodies and responses, so pages are small. */
const PAGE = 25
const allKey = [...key, 'all'] as const

/** Newest first. There are at most 100, so the list is not paged. */
export const useWebhooks = () =>
  useLive(allKey, async (signal) => (await client.listWebhooks({}, { signal })).webhooks, EVERY_MS.list)

export const useWebhook = (id: string) =>
  useLive(
    [...key, 'one', id],
    async (signal) => (await client.getWebhook({ params: { id } }, { signal })).webhook,
    EVERY_MS.list,
  )

export type DeliveryStatus = WebhookDelivery['status']

/** Newest first; of one status, or of all. */
export const useDeliveries = (id: string, status?: DeliveryStatus) =>
  useLivePages(
    [...key, 'deliveries', id, status ?? ''],
    (page, signal) => {
      const query = { ...page, limit: PAGE, ...(status && { status }) }
      return client.listWebhookDeliveries({ params: { id }, query }, { signal })
    },
    ({ deliveries }) => deliveries,
    true,
  )

const MOST_WAITING = 100

/** Deliveries that did not arrive: those that wait, and the latest that failed for good. */
export const useWebhookTrouble = (id: string) =>
  useLive(
    [...key, 'trouble', id],
    async (signal) => {
      const list = (status: DeliveryStatus, limit: number) =>
        client.listWebhookDeliveries({ params: { id }, query: { status, limit } }, { signal })
      const [waiting, failed, delivered] = await Promise.all([
        list('pending', MOST_WAITING),
        list('failed', 1),
        list('delivered', 1),
      ])
      return {
        waiting: waiting.deliveries,
        waitingTotal: waiting.total,
        notDelivered: [...waiting.deliveries, ...failed.deliveries],
        isWhole: waiting.total <= MOST_WAITING && failed.total <= 1,
        delivered: delivered.total,
      }
    },
    EVERY_MS.list,
  )

export const useInbound = () =>
  useLive(['inbound-webhooks'], (signal) => client.webhookStatus({}, { signal }), EVERY_MS.calm)

export const refetchWebhooks = () => refetch(key)

/** Responses may hold a secret, so they are not cached. */
const useWebhookChange = <Given, Answer>(change: (given: Given) => Promise<Answer>) =>
  useMutation({ mutationFn: change, gcTime: 0, onSettled: () => void refetchWebhooks() })

export const changeWebhook = (id: string, body: WebhookChange) =>
  client.changeWebhook({ params: { id }, body })
export const redeliver = (id: string, deliveryId: string) => client.redeliver({ params: { id, deliveryId } })

export const useCreateWebhook = () => useWebhookChange((body: NewWebhook) => client.createWebhook({ body }))
export const useChangeWebhook = (id: string) =>
  useWebhookChange((body: WebhookChange) => changeWebhook(id, body))
export const useRotateSecret = (id: string) =>
  useWebhookChange((_: undefined) => client.rotateWebhookSecret({ params: { id } }))
export const useTestWebhook = (id: string) =>
  useWebhookChange((_: undefined) => client.testWebhook({ params: { id } }))
export const useResumeWebhook = (id: string) =>
  useWebhookChange((_: undefined) => client.resumeWebhook({ params: { id } }))
export const useRecover = (id: string) =>
  useWebhookChange((since: string) => client.recoverWebhook({ params: { id }, body: { since } }))
export const useRedeliver = (id: string) =>
  useWebhookChange((deliveryId: string) => redeliver(id, deliveryId))

/** Refetches the list only: the view of the deleted webhook is about to close. */
export const useDeleteWebhook = (id: string) =>
  useChange(() => client.deleteWebhook({ params: { id } }), allKey)
