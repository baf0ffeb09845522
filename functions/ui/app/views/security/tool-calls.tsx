import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { PagedTable } from '../../components/data-table.tsx'
import { Empty } from '../../components/empty.tsx'
import { useMe } from '../../data/me.ts'
import {
  TOOL_CALL_FILTERS,
  type ToolCallEntry,
  type ToolCallFilters,
  useToolCalls,
} from '../../data/security.ts'
import { columnsWith } from './columns.tsx'
import { Entry } from './entry.tsx'
import { FilterBar } from './filter-bar.tsx'
import type { AuditSearch } from './filters.ts'

/** Filters and the open entry, from the address. */
const useAddress = () => {
  const { entry, ...search } = useSearch({ from: '/settings/security/audit' })
  const navigate = useNavigate({ from: '/settings/security/audit' })
  const go = (changed: AuditSearch) =>
    void navigate({ search: (before: AuditSearch) => ({ ...before, ...changed }), replace: true })
  return {
    filters: search as ToolCallFilters,
    entry,
    change: (changed: AuditSearch) => go({ ...changed, entry: undefined }),
    clear: () => go(Object.fromEntries(TOOL_CALL_FILTERS.map((name) => [name, undefined]))),
    open: (id: string) => go({ entry: id }),
    close: () => go({ entry: undefined, callId: undefined }),
  }
}

const curl = () => `curl ${location.origin}/api/security/audit`

/** Admins see all calls, other users their own. */
export const ToolCalls = (): ReactNode => {
  const { filters, entry, change, clear, open, close } = useAddress()
  const pages = useToolCalls(filters)
  const openEntry = entry ?? (filters.callId && entryOfCall(pages.rows))
  const hasPeople = useMe()?.role === 'admin'
  return (
    <>
      <FilterBar
        filters={filters}
        hasPeople={hasPeople}
        total={pages.total}
        error={pages.error}
        onChange={change}
        onClear={clear}
      />
      <PagedTable
        label="Tool calls"
        columns={columnsWith(open, hasPeople)}
        pages={pages}
        isTallOnPhones
        empty={<Nothing isFiltered={Object.keys(filters).length > 0} onClear={clear} />}
      />
      {openEntry && (
        <Entry id={openEntry} onClose={close} onOnly={(only) => change({ callId: undefined, ...only })} />
      )}
    </>
  )
}

/** Some providers reuse call ids; then several entries match and none is opened. */
const entryOfCall = ([only, ...others]: readonly ToolCallEntry[]): string | undefined =>
  others.length === 0 ? only?.id : undefined

const Nothing = ({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) =>
  isFiltered ? (
    <Empty title="No tool calls match these filters">
      <Button onClick={onClear}>Clear filters</Button>
    </Empty>
  ) : (
    <Empty title="No tool calls yet" curl={curl()}>
      Tool calls of conversations and tasks, including denied ones, are kept for 90 days.
    </Empty>
  )
