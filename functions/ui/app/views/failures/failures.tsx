import { Link, useSearch } from '@tanstack/react-router'
import { RotateCcw } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { BulkDialog } from '../../components/bulk-dialog.tsx'
import { Button, buttonClass, switchLinkClass } from '../../components/button.tsx'
import { Empty } from '../../components/empty.tsx'
import { formatNumber } from '../../components/format.ts'
import { Problem } from '../../components/problem.tsx'
import { RetryCauses } from '../../components/retry-causes.tsx'
import { useRowKeys } from '../../components/row-keys.ts'
import { SelectionBar } from '../../components/selection-bar.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { View } from '../../components/view.tsx'
import { type BulkOrder, orderOfCause } from '../../data/bulk-jobs.ts'
import { type FailureGroup, useFailures } from '../../data/failures.ts'
import { useKeys } from '../../shell/keys.ts'
import { TaskTabs } from '../../shell/task-tabs.tsx'
import { Group } from './group.tsx'
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
        <Empty
          title={`No failures in the last ${spans[since].label}`}
          curl={curl()}
          action={
            <Link to="/tasks" className={buttonClass()}>
              All tasks
            </Link>
          }
        >
          Tasks that fail for good appear here, grouped by cause.
        </Empty>
      )}
      {groups && groups.length > 0 && <Groups groups={groups} onOrder={setOrder} onProbe={setProbed} />}
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
            setOrder(orderOfCause('retry', probed.fingerprint))
          }}
        />
      )}
      {order && <BulkDialog order={order} onClose={() => setOrder(undefined)} />}
    </View>
  )
}

const none: ReadonlySet<string> = new Set()

type GroupsProps = {
  groups: readonly FailureGroup[]
  onOrder: (order: BulkOrder) => void
  onProbe: (group: FailureGroup) => void
}

const Groups = ({ groups, onOrder, onProbe }: GroupsProps) => {
  const list = useRef<HTMLUListElement>(null)
  const [selected, onSelect] = useState(none)
  const [retried, setRetried] = useState<readonly FailureGroup[]>()
  const selection = { selected, onSelect }
  const chosen = groups.filter(({ fingerprint }) => selected.has(fingerprint))
  const pending = chosen.reduce((sum, group) => sum + group.pending, 0)
  const retry = (some: readonly FailureGroup[]) => {
    const open = some.filter((group) => group.pending > 0)
    if (open.length > 0) setRetried(open)
  }
  const clear = () => onSelect(none)
  useRowKeys({
    label: 'failures',
    ids: groups.map(({ fingerprint }) => fingerprint),
    selection,
    scroller: list,
    show: (index) => list.current?.children[index]?.scrollIntoView({ block: 'nearest' }),
    ...(chosen.length === 0 && {
      acts: { retry: (id) => retry(groups.filter(({ fingerprint }) => fingerprint === id)) },
    }),
  })
  useKeys({ retry: chosen.length > 0 ? () => retry(chosen) : undefined })
  return (
    <>
      {chosen.length > 0 && (
        <SelectionBar count={chosen.length} onClear={clear}>
          <Button disabled={pending === 0} onClick={() => retry(chosen)}>
            <RotateCcw size={14} /> Retry {formatNumber(pending)}
          </Button>
        </SelectionBar>
      )}
      <ul ref={list} aria-label="Failures by cause">
        {groups.map((group, index) => (
          <Group
            key={group.fingerprint}
            group={group}
            index={index}
            selection={selection}
            onOrder={onOrder}
            onProbe={() => onProbe(group)}
          />
        ))}
      </ul>
      {retried && (
        <RetryCauses
          causes={retried}
          onClose={() => {
            setRetried(undefined)
            clear()
          }}
        />
      )}
    </>
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
