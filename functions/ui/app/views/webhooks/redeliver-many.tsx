import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { type BulkJob, BulkRun } from '../../components/bulk-run.tsx'
import { Button } from '../../components/button.tsx'
import { SelectionBar } from '../../components/selection-bar.tsx'
import { redeliver, refetchWebhooks, type Webhook, type WebhookDelivery } from '../../data/webhooks.ts'
import { lastAnswer } from './state.tsx'

type Props = { webhook: Webhook; deliveries: readonly WebhookDelivery[]; onClear: () => void }

/** A delivery that the receiver rejects counts as failed. */
export const RedeliverMany = ({ webhook, deliveries, onClear }: Props) => {
  const [job, setJob] = useState<BulkJob>()
  const send = () =>
    setJob({
      title: 'Redeliver',
      past: 'delivered',
      items: deliveries.map(({ id, event }) => ({ id, title: `${event} ${id}` })),
      act: async (id) => {
        const { delivery } = await redeliver(webhook.id, id)
        if (delivery.status !== 'delivered') throw new NotDelivered(lastAnswer(delivery))
      },
    })
  const close = () => {
    setJob(undefined)
    onClear()
  }
  return (
    <SelectionBar count={deliveries.length} onClear={onClear}>
      <Button needsService onClick={send}>
        <RotateCcw size={14} /> Redeliver {deliveries.length}
      </Button>
      {job && <BulkRun {...job} onOver={refetchWebhooks} onClose={close} />}
    </SelectionBar>
  )
}

/** `toString` is shown in the list of failures. */
class NotDelivered extends Error {
  override toString() {
    return `Not delivered: ${this.message}`
  }
}
