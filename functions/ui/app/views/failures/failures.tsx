import { Link, useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { BulkDialog } from '../../components/bulk-dialog.tsx'
import { switchLinkClass } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { Problem } from '../../components/problem.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { View } from '../../components/view.tsx'
import type { BulkOrder } from '../../data/bulk-jobs.ts'
import { type FailureGroup, useFailures } from '../../data/failures.ts'
import { TaskTabs } from '../../shell/task-tabs.tsx'
import { Group, orderFor } from './group.tsx'
import { Probe } from './probe.tsx'
import { spanNames, spans } from './spans.ts'

const curl = () => `curl ${location.origin}/api/failures`

/** Muted groups come last. */
export const Failures = (): ReactNode => {
  const { since = '7d' } = useSearch({ from: '/tasks/failures' })
  const { data, error, refetch } = useFailures(spans[since].hours)
  const [order, setOrder] = useState<BulkOrder>()
  // The group as of the click: the retry changes its count.
  const [probed, setProbed] = useState<FailureGroup>()
  const groups = data?.failures.toSorted((a, b) => Number(a.muted) - Number(b.muted))
  return (
    <View
      title="Failures"
      tabs={<TaskTabs />}
      aside={
        data && (
          <span className="text-muted-foreground">
            {data.total} {data.total === 1 ? 'cause' : 'causes'}
          </span>
        )
      }
      actions={<Spans />}
    >
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {!data && !error && <SkeletonRows count={6} />}
      {groups?.length === 0 && (
        <Empty title={`No failures in the last ${spans[since].label}`} curl={curl()}>
          Tasks that fail for good are grouped here by agent, code and message.
        </Empty>
      )}
      {groups && groups.length > 0 && (
        <ul aria-label="Failures by cause">
          {groups.map((group) => (
            <Group
              key={group.fingerprint}
              group={group}
              onOrder={setOrder}
              onProbe={() => setProbed(group)}
            />
          ))}
        </ul>
      )}
      {data && data.total > data.failures.length && (
        <p className="px-4 py-3 text-muted-foreground md:px-6">
          {data.total - data.failures.length} more causes with fewer failures.
        </p>
      )}
      {probed && (
        <Probe
          group={probed}
          onClose={() => setProbed(undefined)}
          onRetryOthers={() => {
            setProbed(undefined)
            setOrder(orderFor('retry', probed.fingerprint))
          }}
        />
      )}
      {order && <BulkDialog order={order} onClose={() => setOrder(undefined)} />}
    </View>
  )
}

const Spans = () => (
  <nav aria-label="Time" className="flex gap-1">
    {spanNames.map((name) => (
      <Link
        key={name}
        to="/tasks/failures"
        search={{ since: name === '7d' ? undefined : name }}
        activeOptions={{ explicitUndefined: true }}
        className={switchLinkClass}
      >
        {name}
      </Link>
    ))}
  </nav>
)
