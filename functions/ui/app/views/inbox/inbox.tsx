import { Link, useSearch } from '@tanstack/react-router'
import { AlarmClock, Check, ListX, WifiOff } from 'lucide-react'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { type Alike, joinedCalls } from '../../approvals/alike.ts'
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
import { type KeyName, writtenKey } from '../../shell/key-table.ts'
import { useKeys } from '../../shell/keys.ts'
import { openCreate } from '../../shell/overlay.ts'
import { Allowed } from './allowed.tsx'
import { CallCard } from './call-card.tsx'
import { useCurrent } from './current.ts'
import { DecideMany } from './decide-many.tsx'
import { type Entry, grouped } from './groups.ts'
import { ItemRow, type ItemVerbs } from './item-row.tsx'
import { Key } from './key.tsx'
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

const CALL_PX = 45
const ROW_PX = 57
const QUESTION_PX = 140

const entryPx = (entry: Entry) => {
  if ('call' in entry) return CALL_PX
  return entry.item.kind === 'question' ? QUESTION_PX : ROW_PX
}

const none: ReadonlySet<string> = new Set()
const callKey = ({ approval }: Call) => `approval:${approval.id}`

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
  const scroller = useRef<HTMLDivElement>(null)
  const firstCall = calls.find(isUndecided)
  const isListed = (key: string) =>
    calls.some((call) => callKey(call) === key) || items.some((item) => isRow(item) && item.key === key)
  const [current, setCurrent] = useCurrent(meant, firstCall && callKey(firstCall), isListed)
  const [expanded, setExpanded] = useState(none)
  const groups = grouped([
    ...joinedCalls(calls, expanded, (call) => callKey(call) === current).map((joined) => ({
      key: callKey(joined.call),
      ...joined,
    })),
    ...items.filter(isRow).map((item) => ({ key: item.key, item })),
  ])
  const expand = ({ id, isExpanded }: Alike, first: string) => {
    if (isExpanded) setCurrent(first)
    setExpanded(new Set([...expanded].filter((one) => one !== id).concat(isExpanded ? [] : id)))
  }
  const keys = groups.flatMap(({ entries }) => entries.map(({ key }) => key))
  const chosen = items.filter(({ key }) => selected.has(key))
  const selection: Selection = { selected, onSelect }
  const clearSelection = () => onSelect(none)
  /** What was not marked is selected as before, for another try. */
  const markSelected = async (marked: Promise<boolean>) => {
    clearSelection()
    if (!(await marked)) onSelect((now) => new Set([...now, ...selected]))
  }
  const verbs: ItemVerbs = {
    onDone: (some) => void markSelected(marking.complete(some)),
    onSnooze: setAsked,
    onReopen: (some) => void marking.reopen(some),
    onRetry: (item) => setRetried([item]),
  }
  useRowKeys({
    label: 'inbox',
    ids: keys,
    selection,
    scroller,
    show: (index) => scrollToItem(scroller.current, index),
  })
  /** The selected items, else the item that has focus. */
  const acted = (): readonly InboxItem[] => {
    if (chosen.length > 0) return chosen
    const key = keyAt(document.activeElement)
    return items.filter((item) => item.key === key)
  }
  useKeys({
    done: () => verbs.onDone(acted()),
    snooze: () => {
      const some = acted()
      if (some.length > 0) setAsked(some)
    },
    retry: () => {
      const failures = acted().filter(isFailure)
      if (failures.length > 0) setRetried(failures)
    },
  })
  const decided = calls.filter((call) => !isUndecided(call)).length
  const barCall = calls.find((call) => callKey(call) === current)
  return (
    <>
      {keys.length > 0 && (
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
      <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto">
        <Away />
        {meant !== undefined && !isListed(meant) && <Gone />}
        {keys.length === 0 && <Nothing />}
        {groups.map(({ title, open, first, entries }) => (
          <section
            key={title}
            aria-label={title}
            // A click opens by itself: a card that opened at its first half would move what is clicked.
            onFocus={({ target }) =>
              target.matches('[data-row-link]:focus-visible') && setCurrent(keyAt(target))
            }
          >
            <h2 className="sticky top-0 z-10 flex h-8 items-center gap-2 border-b bg-muted px-4 text-xs font-semibold md:px-6">
              {title} <span className="font-normal text-muted-foreground">{open}</span>
            </h2>
            <ul>
              <Windowed
                isList
                items={entries}
                first={first}
                getKey={({ key }) => key}
                draw={(entry, index) =>
                  'call' in entry ? (
                    <CallCard
                      isOpen={entry.key === current}
                      onOpen={() => setCurrent(entry.key)}
                      call={entry.call}
                      alike={entry.alike}
                      onExpand={() => entry.alike && expand(entry.alike, entry.key)}
                      index={index}
                      selection={selection}
                      mark={mark}
                    />
                  ) : (
                    <ItemRow
                      isCurrent={entry.key === current}
                      item={entry.item}
                      index={index}
                      selection={selection}
                      verbs={verbs}
                    />
                  )
                }
                itemPx={entryPx}
                atOnce={10}
                meant={current === undefined ? -1 : keys.indexOf(current)}
              />
            </ul>
          </section>
        ))}
        <Allowed />
      </div>
      {barCall && <PhoneDecision call={barCall} calls={calls} mark={mark} onNext={setCurrent} />}
      {asked && (
        <SnoozeDialog
          count={asked.length}
          onClose={() => setAsked(undefined)}
          onSnooze={(until) => {
            setAsked(undefined)
            void markSelected(marking.snooze(asked, until))
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

const keyAt = (element: Element | null): string | undefined =>
  element?.closest('[data-item]')?.getAttribute('data-item') ?? undefined

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
      className={`flex min-h-10 shrink-0 flex-wrap items-center gap-2 border-b px-4 py-1 md:px-6 ${selection.selected.size + decided === 0 ? 'max-md:hidden' : ''}`}
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
        <Keys />
      )}
      {decided > 0 && (
        <Button size="small" onClick={onClearDecided} className="ml-auto">
          <ListX size={14} /> Clear {decided} decided
        </Button>
      )}
    </div>
  )
}

const Keys = () => (
  <span className="flex items-center gap-x-3 text-xs text-muted-foreground max-md:hidden">
    {keys.map(([words, ...names]) => (
      <span key={words} className="flex items-center gap-1">
        {names.map((name) => (
          <Key key={name} name={writtenKey(name)} />
        ))}
        {words}
      </span>
    ))}
  </span>
)

const keys: readonly (readonly [words: string, ...names: readonly KeyName[]])[] = [
  ['move', 'next', 'previous'],
  ['select', 'select'],
  ['done', 'done'],
  ['snooze', 'snooze'],
]

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

type PhoneProps = { call: Call; calls: readonly Call[]; mark: Mark; onNext: (key: string) => void }

const PhoneDecision = ({ call, calls, mark, onNext }: PhoneProps) => {
  const others = calls.filter((one) => isUndecided(one) && one !== call)
  const next = () => {
    if (others[0]) onNext(callKey(others[0]))
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

const Nothing = () => {
  const { state } = useSearch({ from: '/inbox' })
  if (state === 'snoozed')
    return <Empty title="Nothing is snoozed">Snoozed items wait here until their time comes.</Empty>
  return (
    <Empty title="Nothing needs you" curl={curl()} action={<Button onClick={openCreate}>New task</Button>}>
      Approvals, questions, failures and results to review appear here.
    </Empty>
  )
}
