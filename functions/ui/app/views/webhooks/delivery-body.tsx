import type { ReactNode } from 'react'
import { Copy } from '../../components/copy.tsx'
import { DialogBody } from '../../components/dialog.tsx'
import { LongText } from '../../components/long-text.tsx'
import { Tag } from '../../components/tag.tsx'
import { formatDuration } from '../../components/time.ts'
import { visibleText } from '../../components/visible-text.ts'
import { When } from '../../components/when.tsx'
import type { WebhookDelivery } from '../../data/webhooks.ts'
import { DeliveryState } from './state.tsx'

/** The body as sent, except for white space. */
const deliveryEnvelope = ({ id, event, timestamp, payload }: WebhookDelivery) => ({
  id,
  event,
  timestamp,
  payload,
})

export const DeliveryBody = ({ delivery }: { delivery: WebhookDelivery }) => {
  const { id, event, attempts, attemptsOmitted: omitted = 0, createdAt, nextAttemptAt } = delivery
  const body = JSON.stringify(deliveryEnvelope(delivery), undefined, 2)
  return (
    <DialogBody>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-1.5">
        <Fact name="State">
          <span className="flex flex-wrap items-center gap-x-2">
            <DeliveryState delivery={delivery} />
            <span className="text-muted-foreground">
              {nextAttemptAt === undefined ? (
                delivery.status === 'pending' && 'sent when the webhook is resumed, within 30 days'
              ) : (
                <>
                  next attempt <When at={nextAttemptAt} />
                </>
              )}
            </span>
          </span>
        </Fact>
        <Fact name="Event">
          <code className="font-mono">{event}</code>
        </Fact>
        <Fact name="Id">
          <span className="flex items-center gap-1">
            <code className="min-w-0 font-mono text-xs [overflow-wrap:anywhere]">{id}</code>
            <Copy text={id} label="Copy the id" />
          </span>
        </Fact>
        <Fact name="Created">
          <When at={createdAt} />
        </Fact>
      </dl>
      <h3 className="font-medium">Attempts</h3>
      {attempts.length === 0 ? (
        <p className="text-muted-foreground">Not sent yet.</p>
      ) : (
        <ol aria-label="Attempts" className="divide-y rounded-md border">
          {attempts.map((attempt, n) => {
            // Only the first and the last attempts are stored.
            const number = n === 0 ? 1 : n + 1 + omitted
            return <Attempt key={number} number={number} {...attempt} />
          })}
        </ol>
      )}
      {omitted > 0 && <p className="text-muted-foreground">Attempts 2 to {omitted + 1} are not stored.</p>}
      <h3 className="font-medium">Body</h3>
      <div className="relative">
        <LongText label="Body" text={visibleText(body)} className="pr-10" />
        <div className="absolute top-0.5 right-0.5">
          <Copy text={JSON.stringify(deliveryEnvelope(delivery))} label="Copy the body as sent" />
        </div>
      </div>
    </DialogBody>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <>
    <dt className="text-muted-foreground">{name}</dt>
    <dd className="min-w-0">{children}</dd>
  </>
)

type AttemptProps = WebhookDelivery['attempts'][number] & { number: number }

const Attempt = ({ number, at, statusCode, responseBody, error, durationMs }: AttemptProps) => {
  const isGood = statusCode !== undefined && statusCode >= 200 && statusCode < 300
  return (
    <li className="flex flex-col gap-1.5 px-3 py-2">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="text-muted-foreground">{number}.</span>
        <Tag tone={isGood ? 'good' : 'bad'}>{statusCode ?? 'No answer'}</Tag>
        <span className="text-muted-foreground">
          <When at={at} />, took {formatDuration(durationMs)}
        </span>
      </p>
      {error !== undefined && (
        <p className="text-destructive [overflow-wrap:anywhere]">{visibleText(error)}</p>
      )}
      {responseBody !== undefined &&
        (responseBody === '' ? (
          <p className="text-muted-foreground">Empty response.</p>
        ) : (
          <LongText label={`Response to attempt ${number}`} text={visibleText(responseBody)} />
        ))}
    </li>
  )
}
