import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { AlarmClock, Check, ListX, WifiOff } from 'lucide-react'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { type Call, isUndecided, useCalls } from '../../approvals/calls.ts'
import type { Mark } from '../../approvals/decision.ts'
import { DecisionBar } from '../../approvals/decision-bar.tsx'
import { Button, switchLinkClass } from '../../components/button.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import type { Selection } from '../../components/data-row.tsx'
import { Empty } from '../../components/empty.tsx'
import { Problem } from '../../components/problem.tsx'
import { RetryCauses } from '../../components/retry-causes.tsx'
import { useRowKeys } from '../../components/row-keys.ts'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { View } from '../../components/view.tsx'
import { scrollToItem, Windowed } from '../../components/windowed.tsx'
import { isConnected } from '../../data/connection.ts'
import { type InboxItem, type InboxItemOf, useInbox } from '../../data/inbox.ts'
import { useMe } from '../../data/me.ts'
import { useKeys } from '../../shell/keys.ts'
import { Allowed } from './allowed.tsx'
import { CallCard } from './call-card.tsx'
import { DecideMany } from './decide-many.tsx'
import { ItemRow, type ItemVerbs } from './item-row.tsx'
import { useMarking } from './marking.ts'
import { SnoozeDialog } from './snooze.tsx'
import type { RowItem } from './words.tsx'

const isRow = (item: InboxItem): item is RowItem => item.kind !== 'approval'

type Failed = InboxItemOf<'failure'>
const isFailure = (item: InboxItem): item is Failed => item.kind === 'failure'

const LOCAL_USER = 'local'

export const Inbox = (): ReactNode => {
  const { scope = 'mine', state = 'open' } = useSearch({ from: '/inbox' })
  const query = useInbox(scope, state)
  const { data, error, isPending, refetch } = query
  // Another scope or state is another list: nothing of it stays with an outcome.
  return (
    <View
      title="Inbox"
      isFixed
      aside={
        data && (
          <span className="text-muted-foreground">
            {data.counts.open === 0 ? 'nothing' : data.counts.open} open
          </span>
        )
      }
      actions={<Filters snoozed={data?.counts.snoozed ?? 0} />}
    >
      {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
      {isPending && <SkeletonRows count={8} />}
      {data && <List key={`${scope} ${state}`} items={data.items} />}
    </View>
  )
}

const Filters = ({ snoozed }: { snoozed: number }) => {
  const { state } = useSearch({ from: '/inbox' })
  const me = useMe()
  return (
    <>
      {me && me.id !== LOCAL_USER && (
        <nav aria-label="Whose" className="flex gap-1">
          <Switch search={{ scope: undefined, state }}>Mine</Switch>
          <Switch search={{ scope: 'all', state }}>All</Switch>
        </nav>
      )}
      {(snoozed > 0 || state === 'snoozed') && (
        <nav aria-label="State" className="flex gap-1">
          <Switch search={(before) => ({ scope: before.scope, state: undefined })}>Open</Switch>
          <Switch search={(before) => ({ scope: before.scope, state: 'snoozed' })}>Snoozed {snoozed}</Switch>
        </nav>
      )}
    </>
  )
}

type Search = { item?: string; scope?: 'all' | undefined; state?: 'snoozed' | undefined }

const Switch = ({
  search,
  children,
}: {
  search: Search | ((before: Search) => Search)
  children: ReactNode
}) => (
  <Link
    to="/inbox"
    search={search as never}
    activeOptions={{ explicitUndefined: true }}
    className={switchLinkClass}
  >
    {children}
  </Link>
)

const CARD_PX = 200
const ROW_PX = 56

const none: ReadonlySet<string> = new Set()
const callKey = ({ approval }: Call) => `approval:${approval.id}`

/** A call as a card, or any other item as a row, in the order of the list. */
type Entry = { key: string; call: Call } | { key: string; item: RowItem }

const List = ({ items }: { items: readonly InboxItem[] }) => {
  const { item: meant } = useSearch({ from: '/inbox' })
  const waiting = useMemo(
    () => items.flatMap((item) => (item.kind === 'approval' ? item.approval : [])),
    [items],
  )
  const { calls, mark, clear } = useCalls(waiting)
  const [selected, onSelect] = useState(none)
  const [retried, setRetried] = useState<readonly Failed[]>()
  const [asked, setAsked] = useState<readonly InboxItem[]>()
  const marking = useMarking()
  const barCall = useBarCall(calls, meant)
  const scroller = useRef<HTMLDivElement>(null)
  const entries: readonly Entry[] = [
    ...calls.map((call) => ({ key: callKey(call), call })),
    ...items.filter(isRow).map((item) => ({ key: item.key, item })),
  ]
  const chosen = items.filter(({ key }) => selected.has(key))
  const selection: Selection = { selected, onSelect }
  const clearSelection = () => onSelect(none)
  const verbs: ItemVerbs = {
    onDone: (some) => {
      clearSelection()
      marking.complete(some)
    },
    onSnooze: setAsked,
    onReopen: marking.reopen,
    onRetry: (item) => setRetried([item]),
  }
  useRowKeys({
    label: 'inbox',
    ids: entries.map(({ key }) => key),
    selection,
    scroller,
    show: (index) => scrollToItem(scroller.current, index),
  })
  /** The selected items, else the item that has focus. */
  const current = (): readonly InboxItem[] => {
    if (chosen.length > 0) return chosen
    const key = document.activeElement?.closest('[data-item]')?.getAttribute('data-item')
    return items.filter((item) => item.key === key)
  }
  useKeys({
    done: () => verbs.onDone(current()),
    snooze: () => {
      const some = current()
      if (some.length > 0) setAsked(some)
    },
    retry: () => {
      const failures = current().filter(isFailure)
      if (failures.length > 0) setRetried(failures)
    },
  })
  const decided = calls.filter((call) => !isUndecided(call)).length
  return (
    <>
      <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto">
        {(entries.length > 0 || decided > 0) && (
          <Bar
            items={items}
            chosen={chosen}
            selection={selection}
            verbs={verbs}
            mark={mark}
            decided={decided}
            onClearDecided={clear}
          />
        )}
        <Away />
        {meant !== undefined && !entries.some(({ key }) => key === meant) && <Gone />}
        {entries.length === 0 ? (
          <Nothing />
        ) : (
          <ul aria-label="Inbox">
            <Windowed
              isList
              items={entries}
              getKey={({ key }) => key}
              draw={(entry, index) =>
                'call' in entry ? (
                  <CallCard
                    isMeant={entry.key === meant}
                    isInBar={entry.call === barCall}
                    call={entry.call}
                    index={index}
                    selection={selection}
                    mark={mark}
                  />
                ) : (
                  <ItemRow
                    isMeant={entry.key === meant}
                    item={entry.item}
                    index={index}
                    selection={selection}
                    verbs={verbs}
                  />
                )
              }
              itemPx={(entry) => ('call' in entry ? CARD_PX : ROW_PX)}
              atOnce={10}
              meant={entries.findIndex(({ key }) => key === meant)}
            />
          </ul>
        )}
        <Allowed />
      </div>
      {barCall && <PhoneDecision call={barCall} calls={calls} mark={mark} />}
      {asked && (
        <SnoozeDialog
          count={asked.length}
          onClose={() => setAsked(undefined)}
          onSnooze={(until) => {
            setAsked(undefined)
            clearSelection()
            marking.snooze(asked, until)
          }}
        />
      )}
      {retried && (
        <RetryCauses
          causes={retried.map(({ failure }) => failure)}
          onClose={() => {
            setRetried(undefined)
            clearSelection()
          }}
        />
      )}
    </>
  )
}

type BarProps = {
  items: readonly InboxItem[]
  chosen: readonly InboxItem[]
  selection: Selection
  verbs: ItemVerbs
  mark: Mark
  decided: number
  onClearDecided: () => void
}

const Bar = ({ items, chosen, selection, verbs, mark, decided, onClearDecided }: BarProps) => {
  const clear = () => selection.onSelect(none)
  const calls = chosen.flatMap((item) => (item.kind === 'approval' ? item.approval : []))
  const others = chosen.filter(isRow)
  // A call that is decided leaves the list, and what is under way for it goes on.
  const hasCalls = [...selection.selected].some((key) => key.startsWith('approval:'))
  return (
    <div
      className={`sticky top-0 z-10 flex min-h-12 flex-wrap items-center gap-2 border-b bg-background px-4 py-1.5 md:px-6 ${selection.selected.size + decided === 0 ? 'max-md:hidden' : ''}`}
    >
      <SelectAll items={items} selection={selection} />
      {selection.selected.size > 0 ? (
        <>
          <span className="font-medium" role="status">
            {chosen.length} selected
          </span>
          {hasCalls && <DecideMany selected={calls} onClear={clear} mark={mark} />}
          {others.length > 0 && (
            <Button needsService onClick={() => verbs.onDone(others)}>
              <Check size={14} /> Mark {others.length} done
            </Button>
          )}
          {chosen.length > 0 && (
            <Button needsService onClick={() => verbs.onSnooze(chosen)}>
              <AlarmClock size={14} /> Snooze {chosen.length}
            </Button>
          )}
        </>
      ) : (
        <span className="text-muted-foreground max-md:hidden">
          Tool calls that need approval come first. Items close when their cause is resolved.
        </span>
      )}
      {decided > 0 && (
        <Button size="small" onClick={onClearDecided} className="ml-auto">
          <ListX size={14} /> Clear {decided} decided
        </Button>
      )}
    </div>
  )
}

const SelectAll = ({ items, selection }: Pick<BarProps, 'items' | 'selection'>) => {
  const isAll = items.length > 0 && items.every(({ key }) => selection.selected.has(key))
  return (
    <Checkbox
      label="Select all"
      isChecked={isAll}
      onChange={() => selection.onSelect(isAll ? none : new Set(items.map(({ key }) => key)))}
    />
  )
}

/**
 * The call of the bar on a phone: the one that the address names, else the first one that waits. It stays, also once it is
 * decided, until the person goes on to the next one.
 */
const useBarCall = (calls: readonly Call[], meant: string | undefined) => {
  const [shown, setShown] = useState<string>()
  const find = (key: string | undefined) => calls.find((call) => callKey(call) === key)
  const call = find(meant) ?? find(shown) ?? calls.find(isUndecided)
  if (call !== undefined && find(meant) === undefined && shown !== callKey(call)) setShown(callKey(call))
  return isOther(meant) ? undefined : call
}

/** The address names a result or a failure: a bar about a call would decide about what is out of view. */
const isOther = (meant: string | undefined) => meant !== undefined && !meant.startsWith('approval:')

type PhoneProps = { call: Call; calls: readonly Call[]; mark: Mark }

const PhoneDecision = ({ call, calls, mark }: PhoneProps) => {
  const navigate = useNavigate({ from: '/inbox' })
  const others = calls.filter((one) => isUndecided(one) && one !== call)
  const next = () => {
    const key = others[0] && callKey(others[0])
    if (key !== undefined) void navigate({ search: (before) => ({ ...before, item: key }), replace: true })
  }
  return <DecisionBar call={call} others={others.length} mark={mark} onNext={next} />
}

const note = 'flex items-start gap-2 border-b px-4 py-2 text-muted-foreground md:px-6'

const Away = () =>
  isConnected.use() ? null : (
    <p role="status" className={note}>
      <WifiOff size={14} className="mt-1 shrink-0" />
      You can decide again when the service responds. Pending calls still expire.
    </p>
  )

const Gone = () => (
  <p role="status" className={note}>
    <span>
      This item is closed: it was decided, resolved or marked as done.{' '}
      <Link to="/settings/security/audit" className="underline underline-offset-2">
        The tool call audit
      </Link>{' '}
      has the outcome of calls.
    </span>
  </p>
)

const curl = () => `curl ${location.origin}/api/inbox`

const Nothing = () => (
  <Empty title="Nothing needs you" curl={curl()}>
    Approvals, failures and results to review appear here.
  </Empty>
)
