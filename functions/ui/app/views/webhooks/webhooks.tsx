import { Link } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { buttonClass } from '../../components/button.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { Empty } from '../../components/empty.tsx'
import { Problem } from '../../components/problem.tsx'
import { View } from '../../components/view.tsx'
import { useWebhooks, type Webhook } from '../../data/webhooks.ts'
import { shortUrl } from './address.ts'
import { columns } from './columns.tsx'
import { Inbound } from './inbound.tsx'
import { SwitchMany } from './switch-many.tsx'

const webhookName = ({ url }: Webhook) => shortUrl(url)
const none: ReadonlySet<string> = new Set()

const curl = () =>
  `curl -X POST ${location.origin}/api/webhooks -H 'content-type: application/json' \\\n  -d '{"url": "https://example.com/hooks", "events": ["task.failed"], "generateSecret": true}'`

export const Webhooks = (): ReactNode => {
  const { data, error, isPending, refetch } = useWebhooks()
  const [selected, onSelect] = useState(none)
  const rows = data ?? []
  const chosen = rows.filter(({ id }) => selected.has(id))
  const failing = rows.filter((one) => one.failing).length
  return (
    <View
      title="Webhooks"
      isFixed
      aside={failing > 0 && <span className="font-medium text-failed">{failing} failing</span>}
      actions={
        <Link to="/settings/webhooks/new" className={buttonClass({ kind: 'primary' })}>
          <Plus size={14} /> New webhook
        </Link>
      }
    >
      {chosen.length > 0 && <SwitchMany webhooks={chosen} onClear={() => onSelect(none)} />}
      {error && !data ? (
        <div className="min-h-0 flex-1">
          <Problem error={error} onRetry={() => void refetch()} />
        </div>
      ) : (
        <div className="flex min-h-0 flex-col [&>section]:flex-initial">
          <DataTable
            label="Webhooks"
            columns={columns}
            rows={rows}
            getName={webhookName}
            isLoading={isPending}
            selection={{ selected, onSelect }}
            isTallOnPhones
            empty={
              <div className="min-h-0 overflow-y-auto">
                <Empty
                  title="No webhooks yet"
                  curl={curl()}
                  action={
                    <Link to="/settings/webhooks/new" className={buttonClass()}>
                      <Plus size={14} /> New webhook
                    </Link>
                  }
                >
                  A webhook sends task events to a URL, and retries if the receiver fails.
                </Empty>
              </div>
            }
          />
        </div>
      )}
      <Inbound />
    </View>
  )
}
