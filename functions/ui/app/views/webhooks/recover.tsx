import { History } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { fieldErrors } from '../../components/field-errors.ts'
import { Form, type Texts } from '../../components/form.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { useRecover, type Webhook } from '../../data/webhooks.ts'
import { pausedReason } from './state.tsx'

const HOUR_MS = 3_600_000

const spans = {
  hour: { label: 'an hour ago', ms: HOUR_MS },
  day: { label: '24 hours ago', ms: 24 * HOUR_MS },
  week: { label: '7 days ago', ms: 7 * 24 * HOUR_MS },
  own: { label: 'custom', ms: undefined },
} as const
type Span = keyof typeof spans

/** Invalid times are sent as typed: the service validates. */
const sinceTime = ({ span = 'hour', since = '' }: Texts): string => {
  const { ms } = spans[span as Span]
  if (ms !== undefined) return new Date(Date.now() - ms).toISOString()
  return Number.isNaN(Date.parse(since)) ? since : new Date(since).toISOString()
}

export const Recover = ({ webhook }: { webhook: Webhook }) => {
  const [isOpen, setOpen] = useState(false)
  const { mutate, reset, data, error, isPending } = useRecover(webhook.id)
  const reason = pausedReason(webhook)
  const close = () => {
    setOpen(false)
    reset()
  }
  return (
    <>
      <Button
        size="small"
        title={reason ?? 'Redeliver everything that failed since a given time'}
        disabled={reason !== undefined}
        onClick={() => setOpen(true)}
      >
        <History size={14} /> Redeliver failed
      </Button>
      <Dialog isOpen={isOpen} onClose={close} title="Redeliver failed deliveries">
        {data ? (
          <Done count={data.count} onClose={close} />
        ) : (
          <Ask
            error={error}
            isBusy={isPending}
            onSend={(texts) => mutate(sinceTime(texts))}
            onClose={close}
          />
        )}
      </Dialog>
    </>
  )
}

const recoveredLabel = (count: number): string => {
  if (count === 0) return 'No failed deliveries since then.'
  return count === 1 ? 'Redelivering 1 delivery.' : `Redelivering ${count} deliveries.`
}

const Done = ({ count, onClose }: { count: number; onClose: () => void }) => (
  <>
    <DialogBody>
      <p role="status">{recoveredLabel(count)}</p>
    </DialogBody>
    <DialogFoot>
      <Button kind="primary" onClick={onClose}>
        Done
      </Button>
    </DialogFoot>
  </>
)

type AskProps = { error: unknown; isBusy: boolean; onSend: (texts: Texts) => void; onClose: () => void }

const Ask = ({ error, isBusy, onSend, onClose }: AskProps) => {
  const [span, setSpan] = useState<Span>('hour')
  return (
    <Form label="Redeliver failed deliveries" error={error} onSend={onSend} className="flex min-h-0 flex-col">
      <DialogBody>
        <p className="text-muted-foreground">
          Failed deliveries are sent again with the same ids and bodies.
        </p>
        <fieldset className="flex flex-col gap-1.5">
          <legend className="pb-1 font-medium">Failed since</legend>
          {(Object.keys(spans) as Span[]).map((name) => (
            <label key={name} className="flex items-center gap-2">
              <input
                type="radio"
                name="span"
                value={name}
                checked={span === name}
                onChange={() => setSpan(name)}
                className="size-3.5 shrink-0"
              />
              {spans[name].label}
            </label>
          ))}
        </fieldset>
        {span === 'own' && (
          <TextField
            label="Since"
            name="since"
            type="datetime-local"
            required
            error={fieldErrors(error).since}
            hint="In the browser's time zone."
          />
        )}
        <Refusal error={error} fields={span === 'own' ? ['since'] : []} />
      </DialogBody>
      <DialogFoot>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" type="submit" disabled={isBusy}>
          Redeliver
        </Button>
      </DialogFoot>
    </Form>
  )
}
