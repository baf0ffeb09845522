import { useNavigate, useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { PagedTable } from '../../components/data-table.tsx'
import { Empty } from '../../components/empty.tsx'
import { formatNumber } from '../../components/format.ts'
import { useDeliveries, useWebhook, type WebhookDelivery } from '../../data/webhooks.ts'
import { deliveryColumns } from './columns.tsx'
import { DeliveryDialog } from './delivery-dialog.tsx'
import { Recover } from './recover.tsx'
import { RedeliverMany } from './redeliver-many.tsx'

const deliveryName = ({ event, id }: WebhookDelivery) => `${event} ${id}`
const none: ReadonlySet<string> = new Set()

const testCurl = (id: string) => `curl -X POST ${location.origin}/api/webhooks/${id}/test`

export const Deliveries = (): ReactNode => {
  const { id } = useParams({ from: '/webhooks/$id' })
  const { data: webhook } = useWebhook(id)
  const pages = useDeliveries(id)
  const { rows, total, isPending, onMore } = pages
  const [selected, onSelect] = useState(none)
  const navigate = useNavigate({ from: '/webhooks/$id' })
  if (!webhook) return null
  const chosen = rows.filter((one) => selected.has(one.id))
  return (
    <>
      {chosen.length > 0 ? (
        <RedeliverMany webhook={webhook} deliveries={chosen} onClear={() => onSelect(none)} />
      ) : (
        <div className="flex min-h-12 shrink-0 items-center justify-between gap-2 border-b px-4 md:px-6">
          <span className="text-muted-foreground">
            {total !== undefined && `${formatNumber(total)} ${total === 1 ? 'delivery' : 'deliveries'}, `}
            kept for 30 days
          </span>
          <Recover webhook={webhook} />
        </div>
      )}
      <PagedTable
        label="Deliveries"
        columns={deliveryColumns}
        pages={pages}
        getName={deliveryName}
        selection={{ selected, onSelect }}
        empty={
          <Empty title="No deliveries yet" curl={testCurl(id)}>
            It receives {webhook.events.includes('*') ? 'all events' : webhook.events.join(', ')}. Send test:
          </Empty>
        }
      />
      <DeliveryDialog
        webhook={webhook}
        rows={rows}
        onMore={onMore}
        isLoading={isPending}
        onClose={() => void navigate({ search: {}, replace: true })}
      />
    </>
  )
}
