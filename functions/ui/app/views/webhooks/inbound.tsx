import { Facts } from '../../components/facts.tsx'
import { formatNumber } from '../../components/format.ts'
import { Problem } from '../../components/problem.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { Scroller } from '../../components/scroller.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { Tag } from '../../components/tag.tsx'
import { When } from '../../components/when.tsx'
import { useInbound } from '../../data/webhooks.ts'

const senders = {
  codehost: { label: 'GitHub', variable: 'CODEHOST_WEBHOOK_SECRET' },
  trackera: { label: 'Jira', variable: 'TRACKERA_WEBHOOK_SECRET' },
  trackerb: { label: 'Linear', variable: 'TRACKERB_WEBHOOK_SECRET' },
} as const
type Sender = keyof typeof senders

export const Inbound = () => {
  const { data, error, refetch } = useInbound()
  return (
    <Scroller label="Inbound" className="mt-4 max-h-96 shrink-0 overflow-y-auto border-y bg-card">
      <h2 className="px-4 pt-2 font-semibold md:px-6">
        Inbound{' '}
        <span className="font-normal text-muted-foreground">
          events from GitHub, Jira and Linear create tasks
        </span>
      </h2>
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonRows count={3} />}
      {data && (
        <div className="[&_li]:px-4 md:[&_li]:px-6">
          <Rows label="Inbound webhooks">
            {(Object.keys(senders) as Sender[]).map((name) => (
              <Provider key={name} name={name} {...data[name]} />
            ))}
          </Rows>
        </div>
      )}
    </Scroller>
  )
}

type Status = NonNullable<ReturnType<typeof useInbound>['data']>[Sender]

const Provider = ({ name, configured, lastEvent, eventCount = 0 }: Status & { name: Sender }) => {
  const { label, variable } = senders[name]
  if (!configured)
    return (
      <Row
        title={label}
        aside={<Tag>Not set up</Tag>}
        meta={
          <>
            Set <code className="font-mono text-xs">{variable}</code> in the environment of the service.
          </>
        }
      />
    )
  return (
    <Row
      title={label}
      aside={<Tag tone="good">Set up</Tag>}
      meta={
        <Facts
          facts={[
            <code key="path" className="font-mono text-xs">
              {`${location.origin}/api/webhooks/${name}`}
            </code>,
            lastEvent ? (
              <span key="events">
                {formatNumber(eventCount)} {eventCount === 1 ? 'event' : 'events'}, the last{' '}
                <When at={lastEvent} />
              </span>
            ) : (
              'no events yet'
            ),
          ]}
        />
      }
    />
  )
}
