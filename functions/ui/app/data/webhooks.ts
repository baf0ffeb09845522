import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import type { Webhook, WebhookDelivery } from '../../../../lib/outbound-webhooks/schema.ts'
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
  useLive(
    queryOptions({
      queryKey: allKey,
      queryFn: async ({ signal }) => (await client.listWebhooks({}, { signal })).webhooks,
    }),
    EVERY_MS.list,
  )

export const useWebhook = (id: string) =>
  useLive(
    queryOptions({
      queryKey: [...key, 'one', id],
      queryFn: async ({ signal }) => (await client.getWebhook({ params: { id } }, { signal })).webhook,
    }),
    EVERY_MS.list,
  )

/** Newest first. */
export const useDeliveries = (id: string) =>
  useLivePages(
    [...key, 'deliveries', id],
    (query, signal) =>
      client.listWebhookDeliveries({ params: { id }, query: { ...query, limit: PAGE } }, { signal }),
    ({ deliveries }) => deliveries,
  )

export const useInbound = () =>
  useLive(
    queryOptions({
      queryKey: ['inbound-webhooks'],
      queryFn: ({ signal }) => client.webhookStatus({}, { signal }),
    }),
    EVERY_MS.calm,
  )

export const useWebhooksChanged = () => {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: key })
}

const useAct = <Given, Answer>(act: (given: Given) => Promise<Answer>) => {
  const changed = useWebhooksChanged()
  // Responses may hold a secret, so they are not cached.
  return useMutation({ mutationFn: act, gcTime: 0, onSettled: () => void changed() })
}

export const changeWebhook = (id: string, body: WebhookChange) =>
  client.changeWebhook({ params: { id }, body })
export const redeliver = (id: string, deliveryId: string) => client.redeliver({ params: { id, deliveryId } })

export const useCreateWebhook = () => useAct((body: NewWebhook) => client.createWebhook({ body }))
export const useChangeWebhook = (id: string) => useAct((body: WebhookChange) => changeWebhook(id, body))
export const useRotateSecret = (id: string) =>
  useAct((_: undefined) => client.rotateWebhookSecret({ params: { id } }))
export const useTestWebhook = (id: string) => useAct((_: undefined) => client.testWebhook({ params: { id } }))
export const useRecover = (id: string) =>
  useAct((since: string) => client.recoverWebhook({ params: { id }, body: { since } }))
export const useRedeliver = (id: string) => useAct((deliveryId: string) => redeliver(id, deliveryId))

/** Refetches the list only: the view of the deleted webhook is about to close. */
export const useDeleteWebhook = (id: string) => {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => client.deleteWebhook({ params: { id } }),
    onSuccess: () => void queries.invalidateQueries({ queryKey: allKey }),
  })
}
