import { Plus } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { PagedTable } from '../../components/data-table.tsx'
import { Empty } from '../../components/empty.tsx'
import { useRemembered } from '../../components/remembered.ts'
import { taskCount } from '../../components/task-count.ts'
import { View } from '../../components/view.tsx'
import { rememberList } from '../../data/neighbours.ts'
import { useTaskCreators } from '../../data/people.ts'
import type { Filters } from '../../data/tasks.ts'
import { openCreate } from '../../shell/overlay.ts'
import { TaskTabs } from '../../shell/task-tabs.tsx'
import { BulkBar } from './bulk-bar.tsx'
import { useColumns, useHasTwoLines } from './columns.tsx'
import { FilterBar } from './filter-bar.tsx'
import { useFilters, useSorting } from './filters.ts'
import { Histogram } from './histogram.tsx'
import { Peek } from './peek.tsx'
import { rowVerbs } from './row-verbs.ts'
import { type TaskRow, useTaskRows } from './rows.ts'
import { Transfer } from './transfer.tsx'

const none: ReadonlySet<string> = new Set()

/** The selection of a list; Back restores it. */
const useSelected = () => {
  const memory = useRemembered('selected', none)
  const [selected, set] = useState(memory.read)
  const onSelect = (next: ReadonlySet<string>) => {
    memory.write(next)
    set(next)
  }
  return { selected, onSelect, clear: () => onSelect(none) }
}

const taskName = ({ title }: TaskRow) => title

/** The histogram counts all tasks, so it is hidden if anything but the creation time is filtered. */
const countsAllTasks = (filters: Filters) =>
  Object.keys(filters).every((name) => /^(?:created|sort)/.test(name))

export const Tasks = (): ReactNode => {
  const { filters, asked, clear } = useFilters()
  const pages = useTaskRows(asked)
  const { rows, total, isLive, refetch } = pages
  const { selected, onSelect, clear: selectNone } = useSelected()
  const [peeked, setPeeked] = useState<string>()
  const columns = useColumns(filters.q ?? '')
  const hasTwoLines = useHasTwoLines()
  const verbs = rowVerbs(rows)
  const sorting = useSorting()
  useTaskCreators(rows)
  useEffect(() => rememberList(rows.map(({ id }) => id)), [rows])
  return (
    <View
      title="Tasks"
      tabs={<TaskTabs />}
      isFixed
      aside={
        total !== undefined && <span className="text-muted-foreground max-md:hidden">{taskCount(total)}</span>
      }
      actions={
        <div className={`flex items-center gap-2 ${isLive ? 'max-md:hidden' : ''}`}>
          {!isLive && (
            <Button
              kind="ghost"
              size="small"
              onClick={() => void refetch()}
              title="This part of the list does not update automatically"
            >
              Refresh
            </Button>
          )}
          <Transfer />
          <Button kind="primary" className="max-md:hidden" onClick={openCreate}>
            <Plus size={14} /> New task
          </Button>
        </div>
      }
    >
      {selected.size > 0 ? (
        <BulkBar rows={rows} selected={selected} total={total} filters={asked} onClear={selectNone} />
      ) : (
        <FilterBar />
      )}
      {countsAllTasks(filters) && <Histogram />}
      <PagedTable
        label="Tasks"
        columns={columns}
        pages={pages}
        getName={taskName}
        selection={{ selected, onSelect }}
        sorting={sorting}
        acts={{ peek: setPeeked, ...(selected.size === 0 ? verbs : {}) }}
        isTallOnPhones
        hasTwoLines={hasTwoLines}
        empty={<NoTasks isFiltered={Object.keys(filters).length > 0} onClear={clear} />}
      />
      {peeked && <Peek rows={rows} id={peeked} onShow={setPeeked} />}
    </View>
  )
}

const curl = () =>
  `curl -X POST ${location.origin}/api/tasks -H 'content-type: application/json' \\\n  -d '{"title": "Hello", "prompt": "Write a note about this workspace"}'`

const NoTasks = ({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) =>
  isFiltered ? (
    <Empty title="No tasks match these filters" action={<Button onClick={onClear}>Clear filters</Button>} />
  ) : (
    <Empty
      title="No tasks yet"
      curl={curl()}
      action={
        <Button onClick={openCreate}>
          <Plus size={14} /> New task
        </Button>
      }
    >
      A task is what an agent does for you, with its result, its changes and its cost.
    </Empty>
  )
