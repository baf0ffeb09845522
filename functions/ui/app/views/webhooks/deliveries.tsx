import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { PagedTable } from '../../components/data-table.tsx'
import { Empty } from '../../components/empty.tsx'
import { Choice } from '../../components/filter-fields.tsx'
import { formatNumber } from '../../components/format.ts'
import { useDeliveries, useWebhook, type WebhookDelivery } from '../../data/webhooks.ts'
import { deliveryColumns } from './columns.tsx'
import { DeliveryDialog } from './delivery-dialog.tsx'
import { deliveryStates, isDeliveryStatus } from './delivery-search.ts'
import { Recover } from './recover.tsx'
import { RedeliverMany } from './redeliver-many.tsx'

const deliveryName = ({ event, id }: WebhookDelivery) => `${event} ${id}`
const none: ReadonlySet<string> = new Set()

const testCurl = (id: string) => `curl -X POST ${location.origin}/api/webhooks/${id}/test`

export const Deliveries = (): ReactNode => {
  const { id } = useParams({ from: '/settings/webhooks/$id' })
  const { data: webhook } = useWebhook(id)
  const { state } = useSearch({ from: '/settings/webhooks/$id/' })
  const pages = useDeliveries(id, state)
  const { rows, total, isPending, onMore } = pages
  const [selected, onSelect] = useState(none)
  const navigate = useNavigate({ from: '/settings/webhooks/$id' })
  if (!webhook) return null
  const chosen = rows.filter((one) => selected.has(one.id))
  return (
    <>
      {chosen.length > 0 ? (
        <RedeliverMany webhook={webhook} deliveries={chosen} onClear={() => onSelect(none)} />
      ) : (
        <div className="flex min-h-12 shrink-0 flex-wrap items-center justify-between gap-2 border-b px-4 py-1.5 md:px-6">
          <span className="text-muted-foreground">
            {total !== undefined && `${formatNumber(total)} ${total === 1 ? 'delivery' : 'deliveries'}, `}
            kept for 30 days
          </span>
          <span className="flex items-center gap-2">
            <div className="w-32 shrink-0">
              <Choice
                label="State"
                all="All states"
                options={deliveryStates}
                value={state ?? ''}
                onChange={(value) =>
                  void navigate({
                    search: isDeliveryStatus(value) ? { state: value } : {},
                    replace: true,
                  })
                }
              />
            </div>
            <Recover webhook={webhook} />
          </span>
        </div>
      )}
      <PagedTable
        label="Deliveries"
        columns={deliveryColumns}
        pages={pages}
        getName={deliveryName}
        selection={{ selected, onSelect }}
        isTallOnPhones
        empty={
          state === undefined ? (
            <Empty title="No deliveries yet" curl={testCurl(id)}>
              It receives {webhook.events.includes('*') ? 'all events' : webhook.events.join(', ')}.
            </Empty>
          ) : (
            <Empty title="No deliveries in this state" />
          )
        }
      />
      <DeliveryDialog
        webhook={webhook}
        rows={rows}
        onMore={onMore}
        isLoading={isPending}
        onClose={() => void navigate({ search: state === undefined ? {} : { state }, replace: true })}
      />
    </>
  )
}
