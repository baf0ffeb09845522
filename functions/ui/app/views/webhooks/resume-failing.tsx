import { Play } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../components/dialog.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { toast } from '../../components/toast.tsx'
import { useChangeWebhook, useResumeWebhook, type Webhook } from '../../data/webhooks.ts'
import { shortUrl } from './address.ts'
import { DeliveryBody } from './delivery-body.tsx'
import { lastAnswer } from './state.tsx'

/** Resumes a failing webhook: by one delivery that has to arrive, or at once. */
export const ResumeFailing = ({ webhook, isIcon }: { webhook: Webhook; isIcon: boolean }) => {
  const { id, url } = webhook
  const [isOpen, setOpen] = useState(false)
  const change = useChangeWebhook(id)
  const tryOne = useResumeWebhook(id)
  const isBusy = change.isPending || tryOne.isPending
  const close = () => {
    setOpen(false)
    change.reset()
    tryOne.reset()
  }
  const resumed = () => {
    close()
    toast.done('Resumed', `Waiting deliveries for ${shortUrl(url)} are sent now.`)
  }
  const refused = tryOne.data?.delivery
  const title = `Resume ${shortUrl(url)}`
  const look = isIcon ? ({ kind: 'ghost', size: 'icon' } as const) : {}
  return (
    <>
      <Button {...look} needsService title="Resume" aria-label={title} onClick={() => setOpen(true)}>
        <Play size={14} /> {!isIcon && 'Resume'}
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title={title}>
        {refused === undefined ? (
          <DialogBody>
            <p>
              One waiting delivery is sent first. If it succeeds, the webhook resumes and the others follow.
              Otherwise it stays paused.
            </p>
            <p className="text-muted-foreground">
              Failed deliveries stay failed. To send them again, use Redeliver failed.
            </p>
            <Refusal error={tryOne.error ?? change.error} />
          </DialogBody>
        ) : (
          <>
            <p role="alert" className="px-4 pt-3 font-medium text-failed">
              Still paused. The receiver responded: {lastAnswer(refused)}
            </p>
            <DeliveryBody webhook={webhook} delivery={refused} />
          </>
        )}
        <DialogFoot>
          <Button onClick={close}>Cancel</Button>
          <Button
            needsService
            disabled={isBusy}
            onClick={() => change.mutate({ active: true }, { onSuccess: resumed })}
          >
            Resume anyway
          </Button>
          <Button
            needsService
            kind="primary"
            disabled={isBusy}
            onClick={() => tryOne.mutate(undefined, { onSuccess: (answer) => answer.resumed && resumed() })}
          >
            {tryOne.isPending ? 'Sending' : refused === undefined ? 'Send one first' : 'Send one again'}
          </Button>
        </DialogFoot>
      </Dialog>
    </>
  )
}
