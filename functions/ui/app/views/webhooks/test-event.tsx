import { Send } from 'lucide-react'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../components/dialog.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { useTestWebhook, type Webhook } from '../../data/webhooks.ts'
import { shortUrl } from './address.ts'
import { DeliveryBody } from './delivery-body.tsx'

export const TestEvent = ({ webhook, isIcon = false }: { webhook: Webhook; isIcon?: boolean }) => {
  const { mutate, reset, data, error, isPending } = useTestWebhook(webhook.id)
  const look = isIcon ? ({ kind: 'ghost', size: 'icon' } as const) : {}
  const name = shortUrl(webhook.url)
  return (
    <>
      <Button
        {...look}
        title="Send test"
        aria-label={`Send test to ${name}`}
        disabled={isPending}
        needsService
        onClick={() => mutate(undefined)}
      >
        <Send size={14} />
        {!isIcon && 'Send test'}
      </Button>
      <Dialog
        isOpen={isPending || data !== undefined || error !== null}
        onClose={reset}
        title="Test"
        description={name}
      >
        {data ? (
          <DeliveryBody webhook={webhook} delivery={data.delivery} />
        ) : (
          <DialogBody>
            {isPending && (
              <>
                <p role="status">Sent. The receiver has 15 seconds to respond.</p>
                <SkeletonRows count={3} />
              </>
            )}
            <Refusal error={error} />
          </DialogBody>
        )}
        <DialogFoot>
          <Button onClick={reset}>Close</Button>
        </DialogFoot>
      </Dialog>
    </>
  )
}
