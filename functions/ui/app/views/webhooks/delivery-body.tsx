import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Copy } from '../../components/copy.tsx'
import { DialogBody } from '../../components/dialog.tsx'
import { LongText } from '../../components/long-text.tsx'
import { Tag } from '../../components/tag.tsx'
import { formatDuration } from '../../components/time.ts'
import { visibleText } from '../../components/visible-text.ts'
import { When } from '../../components/when.tsx'
import type { Webhook, WebhookDelivery } from '../../data/webhooks.ts'
import { deliveryCurl, deliveryText } from './curl.ts'
import { DeliveryState } from './state.tsx'

type Props = { webhook: Pick<Webhook, 'url' | 'secret'>; delivery: WebhookDelivery }

export const DeliveryBody = ({ webhook, delivery }: Props) => {
  const { id, event, attempts, attemptsOmitted: omitted = 0, createdAt, nextAttemptAt } = delivery
  const { taskId, taskTitle } = delivery
  const body = JSON.stringify(JSON.parse(deliveryText(delivery)), undefined, 2)
  return (
    <DialogBody>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-1.5">
        <Fact name="State">
          <span className="flex flex-wrap items-center gap-x-2">
            <DeliveryState delivery={delivery} />
            <span className="text-muted-foreground">
              {nextAttemptAt === undefined ? (
                delivery.status === 'pending' && 'sent when the webhook is resumed within 30 days'
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
        {taskId !== undefined && (
          <Fact name="Task">
            <Link to="/tasks/$id" params={{ id: taskId }} className="underline underline-offset-2">
              {visibleText(taskTitle ?? taskId)}
            </Link>
          </Fact>
        )}
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
      <div className="flex items-center justify-between gap-2">
        <h3 className="font-medium">Body</h3>
        <span className="flex items-center gap-1 text-muted-foreground">
          Copy as curl <Copy text={deliveryCurl(webhook, delivery)} label="Copy as curl" />
        </span>
      </div>
      <div className="relative">
        <LongText label="Body" text={visibleText(body)} className="pr-10" />
        <div className="absolute top-0.5 right-0.5">
          <Copy text={deliveryText(delivery)} label="Copy the body as sent" />
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

const headerLines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')

type AttemptProps = WebhookDelivery['attempts'][number] & { number: number }

const Attempt = ({
  number,
  at,
  statusCode,
  responseBody,
  requestHeaders,
  error,
  durationMs,
}: AttemptProps) => {
  const isGood = statusCode !== undefined && statusCode >= 200 && statusCode < 300
  return (
    <li className="flex flex-col gap-1.5 px-3 py-2">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="text-muted-foreground">{number}.</span>
        <Tag tone={isGood ? 'good' : 'bad'}>{statusCode ?? 'No response'}</Tag>
        <span className="text-muted-foreground">
          <When at={at} />, took {formatDuration(durationMs)}
        </span>
      </p>
      {error !== undefined && (
        <p className="text-destructive [overflow-wrap:anywhere]">{visibleText(error)}</p>
      )}
      {requestHeaders !== undefined && (
        <details>
          <summary className="w-fit cursor-pointer text-muted-foreground">Request headers</summary>
          <LongText
            label={`Request headers of attempt ${number}`}
            text={visibleText(headerLines(requestHeaders))}
            className="mt-1.5"
          />
        </details>
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
