import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { type BulkJob, BulkRun } from '../../components/bulk-run.tsx'
import { Button } from '../../components/button.tsx'
import { formatNumber } from '../../components/format.ts'
import { startOfLine } from '../../components/text-weight.ts'
import { visibleText } from '../../components/visible-text.ts'
import { When } from '../../components/when.tsx'
import {
  refetchWebhooks,
  useWebhookTrouble,
  type Webhook,
  type WebhookDelivery,
} from '../../data/webhooks.ts'
import { redeliveries } from './redeliver-many.tsx'
import { lastAnswer } from './state.tsx'

type Trouble = NonNullable<ReturnType<typeof useWebhookTrouble>['data']>

const lastTime = ({ attempts }: WebhookDelivery) => attempts.at(-1)?.at ?? ''
const firstTime = ({ attempts }: WebhookDelivery) => attempts[0]?.at ?? ''

const latestOf = (deliveries: readonly WebhookDelivery[]) =>
  deliveries.toSorted((a, b) => (lastTime(a) < lastTime(b) ? 1 : -1))[0]

/** When the first of them failed; undefined where not all are known. */
const firstFailure = ({ notDelivered, delivered, isWhole }: Trouble) =>
  delivered === 0 && isWhole ? notDelivered.map(firstTime).filter(Boolean).toSorted()[0] : undefined

/** What is wrong with a webhook whose last attempt failed, in one sentence. */
export const TroubleText = ({ webhook }: { webhook: Webhook }) => {
  const { data } = useWebhookTrouble(webhook.id)
  const latest = data && latestOf(data.notDelivered)
  if (!data || !latest) return null
  const since = firstFailure(data)
  const body = startOfLine(visibleText(latest.attempts.at(-1)?.responseBody ?? ''))
  const next = data.waiting
    .flatMap(({ nextAttemptAt }) => nextAttemptAt ?? [])
    .toSorted()
    .at(0)
  return (
    <p className="[overflow-wrap:anywhere]">
      <span className="font-medium text-failed">
        {data.delivered === 0
          ? 'Every delivery has failed'
          : `${formatNumber(webhook.failureCount)} failed ${webhook.failureCount === 1 ? 'send' : 'sends'} in a row`}
        {data.delivered === 0 ? ' with ' : ', the last with '}
        {visibleText(lastAnswer(latest))}
        {since && (
          <>
            {', the first '}
            <When at={since} />
          </>
        )}
        {body === '' ? '.' : `: ${body}`}
      </span>{' '}
      {data.waiting.length > 0 && (
        <span className="text-muted-foreground">
          {formatNumber(data.waitingTotal)} {data.waitingTotal === 1 ? 'delivery waits' : 'deliveries wait'}
          {next && (
            <>
              , next attempt <When at={next} />
            </>
          )}
          .
        </span>
      )}
    </p>
  )
}

/** Sends what waits for its next attempt at once. */
export const RetryNow = ({ webhook }: { webhook: Webhook }) => {
  const { data } = useWebhookTrouble(webhook.id)
  const [job, setJob] = useState<BulkJob>()
  const waiting = data?.waiting ?? []
  if (job === undefined && (!webhook.active || webhook.failureCount === 0 || waiting.length === 0))
    return null
  return (
    <>
      <Button
        needsService
        title="Send waiting deliveries now"
        onClick={() => setJob({ ...redeliveries(webhook, waiting), title: 'Retry' })}
      >
        <RotateCcw size={14} /> Retry now
      </Button>
      {job && <BulkRun {...job} onOver={refetchWebhooks} onClose={() => setJob(undefined)} />}
    </>
  )
}
