import { useSearch } from '@tanstack/react-router'
import { RotateCcw } from 'lucide-react'
import { useEffect } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../components/dialog.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { toast } from '../../components/toast.tsx'
import { useRedeliver, type Webhook, type WebhookDelivery } from '../../data/webhooks.ts'
import { DeliveryBody } from './delivery-body.tsx'
import { lastAnswer } from './state.tsx'

type Props = {
  webhook: Webhook
  rows: readonly WebhookDelivery[]
  isLoading: boolean
  onMore: (() => void) | undefined
  onClose: () => void
}

/** The delivery in the address. Loads further pages until it is found. */
export const DeliveryDialog = ({ webhook, rows, isLoading, onMore, onClose }: Props) => {
  const { delivery: id } = useSearch({ from: '/settings/webhooks/$id/' })
  const delivery = rows.find((one) => one.id === id)
  const isMissing = id !== undefined && !delivery
  useEffect(() => {
    if (isMissing) onMore?.()
  }, [isMissing, onMore])
  if (id === undefined) return null
  return (
    <Dialog isOpen onClose={onClose} title={delivery?.event ?? 'Delivery'}>
      {delivery ? (
        <>
          <DeliveryBody webhook={webhook} delivery={delivery} />
          <Again key={id} webhook={webhook} delivery={delivery} />
        </>
      ) : (
        <DialogBody>
          {isLoading || onMore ? (
            <SkeletonRows count={4} />
          ) : (
            <p role="alert">This delivery does not exist. Deliveries are kept for 30 days after they end.</p>
          )}
        </DialogBody>
      )}
    </Dialog>
  )
}

const Again = ({ webhook, delivery }: Pick<Props, 'webhook'> & { delivery: WebhookDelivery }) => {
  const { mutate, error, isPending } = useRedeliver(webhook.id)
  const send = () =>
    mutate(delivery.id, {
      onSuccess: ({ delivery: sent }) =>
        sent.status === 'delivered'
          ? toast.done('Delivered', `The receiver responded ${lastAnswer(sent)}.`)
          : toast.failed('Redelivery failed', lastAnswer(sent)),
    })
  return (
    <>
      {error && (
        <div className="px-4 pb-3">
          <Refusal error={error} />
        </div>
      )}
      <DialogFoot>
        {!webhook.active && (
          <span className="mr-auto text-muted-foreground">Sent even if the webhook is paused.</span>
        )}
        <Button needsService disabled={isPending} onClick={send}>
          <RotateCcw size={14} /> {isPending ? 'Redelivering' : 'Redeliver'}
        </Button>
      </DialogFoot>
    </>
  )
}
