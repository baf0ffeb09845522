import { Link, Outlet, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ApiError } from '../../../../../lib/api/api-error.ts'
import { Copy } from '../../components/copy.tsx'
import { formatNumber } from '../../components/format.ts'
import { Problem } from '../../components/problem.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { TabLinks } from '../../components/tab-links.tsx'
import { View } from '../../components/view.tsx'
import { When } from '../../components/when.tsx'
import { useWebhook, type Webhook } from '../../data/webhooks.ts'
import { shortUrl } from './address.ts'
import { WebhookState, webhookLook } from './state.tsx'
import { Switch } from './switch.tsx'
import { TestEvent } from './test-event.tsx'
import { RetryNow, TroubleText } from './trouble.tsx'

const webhookTabs = (id: string) =>
  [
    { to: '/settings/webhooks/$id', label: 'Deliveries', params: { id } },
    { to: '/settings/webhooks/$id/settings', label: 'Settings', params: { id } },
    { to: '/settings/webhooks/$id/verify', label: 'Verify', params: { id } },
  ] as const

const isGone = (error: unknown) => error instanceof ApiError && error.status === 404

export const OneWebhook = (): ReactNode => {
  const { id } = useParams({ from: '/settings/webhooks/$id' })
  const { data, error, refetch } = useWebhook(id)
  if (!data || isGone(error))
    return (
      <View title="Webhook">
        {error ? <Problem error={error} onRetry={() => void refetch()} /> : <SkeletonRows />}
        {isGone(error) && (
          <p className="px-4">
            <Link to="/settings/webhooks" className="underline underline-offset-2">
              All webhooks
            </Link>
          </p>
        )}
      </View>
    )
  return (
    <View
      title={shortUrl(data.url)}
      isFixed
      aside={<WebhookState webhook={data} />}
      actions={
        <>
          <TestEvent webhook={data} />
          <RetryNow webhook={data} />
          <Switch webhook={data} />
          <Copy text={data.url} label="Copy the URL" />
        </>
      }
    >
      <Summary webhook={data} />
      <TabLinks label="Webhook" tabs={webhookTabs(id)} />
      <Outlet />
    </View>
  )
}

const Summary = ({ webhook }: { webhook: Webhook }) => {
  const { active, failing, failureCount, deliveryCount, lastDelivery } = webhook
  return (
    <div className="flex shrink-0 flex-col gap-1 border-b px-4 py-2 md:px-6">
      {failureCount > 0 ? (
        <TroubleText webhook={webhook} />
      ) : (
        <p className="text-muted-foreground">
          {lastDelivery ? (
            <>
              {formatNumber(deliveryCount)} {deliveryCount === 1 ? 'delivery' : 'deliveries'}, the last one{' '}
              <When at={lastDelivery} />
            </>
          ) : (
            'Nothing sent yet'
          )}
        </p>
      )}
      {!active && (
        <p role="note" className={failing ? 'text-failed' : ''}>
          {webhookLook(webhook).meaning}. {failing && 'Fix the receiver, then resume. '}
          You can still send tests and single deliveries.
        </p>
      )}
    </div>
  )
}
