import { Link, useSearch } from '@tanstack/react-router'
import { ListX, WifiOff } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import type { Selection } from '../../components/data-row.tsx'
import { Empty } from '../../components/empty.tsx'
import { Problem } from '../../components/problem.tsx'
import { useRowKeys } from '../../components/row-keys.ts'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { View } from '../../components/view.tsx'
import { scrollToItem, Windowed } from '../../components/windowed.tsx'
import type { Approval } from '../../data/approvals.ts'
import { isConnected } from '../../data/connection.ts'
import { Allowed } from './allowed.tsx'
import { CallCard } from './call-card.tsx'
import { type Call, useCalls } from './calls.ts'
import { DecideMany } from './decide-many.tsx'
import type { Mark } from './decision.ts'

const isOpen = ({ outcome }: Call) => outcome === undefined

export const Approvals = (): ReactNode => {
  const { calls, data, error, isPending, refetch, mark, clear } = useCalls()
  const waiting = calls.filter(isOpen).length
  return (
    <View
      title="Approvals"
      isFixed
      aside={
        data && <span className="text-muted-foreground">{waiting === 0 ? 'none' : waiting} waiting</span>
      }
      actions={
        waiting < calls.length && (
          <Button size="small" onClick={clear}>
            <ListX size={14} /> Clear {calls.length - waiting} decided
          </Button>
        )
      }
    >
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <SkeletonRows count={8} />}
      {data && <List calls={calls} mark={mark} />}
    </View>
  )
}

const CARD_PX = 200

const none: ReadonlySet<string> = new Set()

const List = ({ calls, mark }: { calls: readonly Call[]; mark: Mark }) => {
  const [selected, onSelect] = useState(none)
  const { item } = useSearch({ from: '/approvals' })
  const scroller = useRef<HTMLDivElement>(null)
  const open = calls.filter(isOpen).map(({ approval }) => approval)
  const chosen = open.filter(({ id }) => selected.has(id))
  const selection: Selection = { selected, onSelect }
  useRowKeys({
    ids: calls.map(({ approval }) => approval.id),
    selection,
    scroller,
    show: (index) => scrollToItem(scroller.current, index),
  })
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto">
      {calls.length > 0 && (
        <div className="sticky top-0 z-10 flex min-h-12 flex-wrap items-center gap-2 border-b bg-background px-4 py-1.5 md:px-6">
          <SelectAll open={open} selection={selection} />
          {selected.size > 0 ? (
            <DecideMany selected={chosen} onClear={() => onSelect(none)} mark={mark} />
          ) : (
            <span className="text-muted-foreground">
              Oldest first.
              <span className="max-md:hidden"> Calls that are not decided in time are denied.</span>
            </span>
          )}
        </div>
      )}
      <Away />
      {item !== undefined && !calls.some(({ approval }) => approval.id === item) && <Nowhere />}
      {calls.length === 0 ? (
        <Nothing />
      ) : (
        <ul aria-label="Pending calls">
          <Windowed
            isList
            items={calls}
            getKey={({ approval }) => approval.id}
            draw={(call, index) => (
              <CallCard
                isMeant={call.approval.id === item}
                call={call}
                index={index}
                selection={selection}
                mark={mark}
              />
            )}
            itemPx={CARD_PX}
            atOnce={10}
            meant={calls.findIndex(({ approval }) => approval.id === item)}
          />
        </ul>
      )}
      <Allowed />
    </div>
  )
}

const SelectAll = ({ open, selection }: { open: readonly Approval[]; selection: Selection }) => {
  const isAll = open.length > 0 && open.every(({ id }) => selection.selected.has(id))
  return (
    <Checkbox
      label="Select all pending"
      isChecked={isAll}
      onChange={() => selection.onSelect(isAll ? none : new Set(open.map(({ id }) => id)))}
    />
  )
}

const note = 'flex items-start gap-2 border-b px-4 py-2 text-muted-foreground md:px-6'

const Away = () =>
  isConnected.use() ? null : (
    <p role="status" className={note}>
      <WifiOff size={14} className="mt-1 shrink-0" />
      You can decide again when the service responds. Pending calls still expire.
    </p>
  )

const Nowhere = () => (
  <p role="status" className={note}>
    <span>
      This call is no longer pending: it was decided or has expired.{' '}
      <Link to="/security/audit" className="underline underline-offset-2">
        The tool call audit
      </Link>{' '}
      has the outcome.
    </span>
  </p>
)

const curl = () => `curl ${location.origin}/api/security/approvals`

const Nothing = () => (
  <Empty title="No pending approvals" curl={curl()}>
    <p className="pb-3">
      In security mode <code className="font-mono">ask</code>, and for the tools that the{' '}
      <Link to="/security" className="underline underline-offset-2">
        policy
      </Link>{' '}
      requires approval for, calls wait here. Calls of a conversation are denied after 10 minutes; a task
      waits until you decide. With the API:
    </p>
  </Empty>
)
