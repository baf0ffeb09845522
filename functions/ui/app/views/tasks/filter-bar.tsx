import { SlidersHorizontal, X } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { TASK_STATUSES, type TaskStatus } from '../../../../../lib/tasks/machine.ts'
import { Button } from '../../components/button.tsx'
import { formatNumber } from '../../components/format.ts'
import { Popover } from '../../components/popover.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { Dot, states } from '../../components/state.tsx'
import { taskCount } from '../../components/task-count.ts'
import { useAnalytics } from '../../data/analytics.ts'
import { useMe } from '../../data/me.ts'
import { useHasPeople } from '../../data/people.ts'
import type { Filters } from '../../data/tasks.ts'
import { ColumnMenu } from './column-menu.tsx'
import { toggledIn, useFilters } from './filters.ts'
import { MoreFilters, moreNames } from './more-filters.tsx'
import { SavedViews } from './saved-views.tsx'

const toggleClass =
  'inline-flex h-7 shrink-0 items-center gap-1.5 rounded-md px-2 text-muted-foreground hover:bg-accent hover:text-foreground aria-pressed:bg-accent aria-pressed:font-medium aria-pressed:text-foreground'

export const FilterBar = () => {
  const { filters, change, clear } = useFilters()
  const more = moreNames.filter((name) => filters[name]).length
  const counts = useCounts(filters)
  const fieldset = useRef<HTMLFieldSetElement>(null)
  // On phones the states scroll, and the chosen ones come first.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chosen states are what it answers to.
  useEffect(() => {
    fieldset.current?.scrollTo({ left: 0 })
  }, [filters.status])
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 border-b px-4 py-2 md:px-6">
      <SearchField
        label="Search tasks"
        placeholder="Title, prompt, output, error, id…"
        title="Searches the title, prompt, output, error, id, branch, repository and changed paths"
        value={filters.q ?? ''}
        onChange={(q) => change({ q })}
        className="min-w-24 max-w-64 flex-1"
      />
      <fieldset
        ref={fieldset}
        className="flex min-w-0 items-center gap-1 overflow-x-auto max-md:order-last max-md:-mx-2 max-md:w-[calc(100%+1rem)]"
      >
        <legend className="sr-only">States</legend>
        {TASK_STATUSES.map((status) => (
          <StatusToggle
            key={status}
            status={status}
            count={counts?.[status]}
            isOn={(filters.status ?? '').split(',').includes(status)}
            onToggle={() => change({ status: toggledIn(filters.status, status) })}
          />
        ))}
      </fieldset>
      <Mine creator={filters.createdBy} onChange={(createdBy) => change({ createdBy })} />
      <Popover
        label="More filters"
        trigger={
          <Button kind="ghost" size="small">
            <SlidersHorizontal size={14} /> Filter{more > 0 ? ` · ${more}` : ''}
          </Button>
        }
      >
        <MoreFilters filters={filters} onChange={change} />
      </Popover>
      {Object.keys(filters).length > 0 && (
        <Button kind="ghost" size="small" title="Clear filters" onClick={clear}>
          <X size={14} /> <span className="max-2xl:sr-only">Clear</span>
        </Button>
      )}
      <span className="ml-auto flex items-center gap-1">
        <SavedViews filters={filters} />
        <ColumnMenu />
      </span>
    </div>
  )
}

type MineProps = { creator: string | undefined; onChange: (creator: string) => void }

/** Only where there are accounts: without them all tasks are of one user. */
const Mine = ({ creator, onChange }: MineProps) => {
  const me = useMe()
  const hasPeople = useHasPeople()
  if (!me || !hasPeople) return null
  const isOn = creator === me.id
  return (
    <button
      type="button"
      aria-pressed={isOn}
      onClick={() => onChange(isOn ? '' : me.id)}
      className={toggleClass}
    >
      Mine
    </button>
  )
}

const BESIDES_STATES = /^(?:status|sortBy|sortOrder)$/

/** The tasks in each state; undefined where something else is filtered, which the counters do not know. */
const useCounts = (filters: Filters): Readonly<Record<string, number>> | undefined => {
  const { data } = useAnalytics()
  return Object.keys(filters).every((name) => BESIDES_STATES.test(name)) ? data?.byStatus : undefined
}

type Toggle = { status: TaskStatus; count: number | undefined; isOn: boolean; onToggle: () => void }

const StatusToggle = ({ status, count, isOn, onToggle }: Toggle) => (
  <button
    type="button"
    aria-pressed={isOn}
    title={count === undefined ? undefined : taskCount(count)}
    onClick={onToggle}
    className={`${toggleClass} max-md:aria-pressed:order-first`}
  >
    <Dot status={status} />
    {states[status].label}
    {count !== undefined && count > 0 && (
      <span aria-hidden className="text-xs font-normal text-muted-foreground tabular-nums">
        {formatNumber(count)}
      </span>
    )}
  </button>
)
