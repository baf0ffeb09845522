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
/** Deliveries come with their bodies and answers, so that a page of many may be large. */
const PAGE = 25
const allKey = [...key, 'all'] as const

/** The outbound webhooks, newest first. There are at most 100, so they come as a whole. */
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

/** What was sent to a webhook and what waits to be, newest first. */
export const useDeliveries = (id: string) =>
  useLivePages(
    [...key, 'deliveries', id],
    (query, signal) =>
      client.listWebhookDeliveries({ params: { id }, query: { ...query, limit: PAGE } }, { signal }),
    ({ deliveries }) => deliveries,
  )

/** Whether the webhooks of the three providers are configured, and what came by them. */
export const useInbound = () =>
  useLive(
    queryOptions({
      queryKey: ['inbound-webhooks'],
      queryFn: ({ signal }) => client.webhookStatus({}, { signal }),
    }),
    EVERY_MS.calm,
  )

/** What shows webhooks or their deliveries asks for them again. */
export const useWebhooksChanged = () => {
  const queries = useQueryClient()
  return () => queries.invalidateQueries({ queryKey: key })
}

const useAct = <Given, Answer>(act: (given: Given) => Promise<Answer>) => {
  const changed = useWebhooksChanged()
  // Some answers hold a secret, which is kept nowhere once they are left.
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

/** Asks for the list alone again: what shows the deleted one is about to be left. */
export const useDeleteWebhook = (id: string) => {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => client.deleteWebhook({ params: { id } }),
    onSuccess: () => void queries.invalidateQueries({ queryKey: allKey }),
  })
}
