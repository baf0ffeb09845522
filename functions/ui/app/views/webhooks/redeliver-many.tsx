import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { type BulkJob, BulkRun } from '../../components/bulk-run.tsx'
import { Button } from '../../components/button.tsx'
import { SelectionBar } from '../../components/selection-bar.tsx'
import { redeliver, refetchWebhooks, type Webhook, type WebhookDelivery } from '../../data/webhooks.ts'
import { lastAnswer } from './state.tsx'

/** A delivery that the receiver rejects counts as failed. */
export const redeliveries = (webhook: Webhook, deliveries: readonly WebhookDelivery[]): BulkJob => ({
  title: 'Redeliver',
  past: 'delivered',
  items: deliveries.map(({ id, event, taskTitle }) => ({ id, title: `${event} ${taskTitle ?? id}` })),
  act: async (id) => {
    const { delivery } = await redeliver(webhook.id, id)
    if (delivery.status !== 'delivered') throw new NotDelivered(lastAnswer(delivery))
  },
})

type Props = { webhook: Webhook; deliveries: readonly WebhookDelivery[]; onClear: () => void }

export const RedeliverMany = ({ webhook, deliveries, onClear }: Props) => {
  const [job, setJob] = useState<BulkJob>()
  const close = () => {
    setJob(undefined)
    onClear()
  }
  return (
    <SelectionBar count={deliveries.length} onClear={onClear}>
      <Button needsService onClick={() => setJob(redeliveries(webhook, deliveries))}>
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
