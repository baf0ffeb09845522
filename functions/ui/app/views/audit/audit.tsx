import type { ReactNode } from 'react'
import { AdminsOnly } from '../../components/admins-only.tsx'
import { Button } from '../../components/button.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { Empty } from '../../components/empty.tsx'
import { Problem } from '../../components/problem.tsx'
import { View } from '../../components/view.tsx'
import { type AuditFilters, type AuditRecord, useAudit } from '../../data/audit.ts'
import { useAddress } from './address.ts'
import { columnsWith } from './columns.tsx'
import { Entry } from './entry.tsx'
import { FilterBar } from './filter-bar.tsx'

const keyOf = ({ id }: AuditRecord) => id

/** What was done to the installation, by whom and when. */
export const Audit = (): ReactNode => (
  <View title="Audit" isFixed>
    <AdminsOnly what="The record of what was done is">
      <List />
    </AdminsOnly>
  </View>
)

const List = () => {
  const { filters, entry, change, clear, open } = useAddress()
  const { rows, total, isPending, error, refetch, onMore } = useAudit(filters)
  const one = rows.find(({ id }) => id === entry)
  return (
    <>
      <FilterBar filters={filters} onChange={change} onClear={clear} total={total} error={error} />
      {error && rows.length === 0 ? (
        <Problem error={error} onRetry={() => void refetch()} />
      ) : (
        <DataTable
          label="Audit"
          columns={columnsWith(open)}
          rows={rows}
          keyOf={keyOf}
          onMore={onMore}
          {...(total === undefined ? {} : { total })}
          isLoading={isPending}
          empty={<Nothing filters={filters} onClear={clear} />}
        />
      )}
      {one && <Entry record={one} onClose={() => open(undefined)} onOnly={change} />}
    </>
  )
}

const Nothing = ({ filters, onClear }: { filters: AuditFilters; onClear: () => void }) =>
  Object.keys(filters).length > 0 ? (
    <Empty title="No record fits these filters">
      <Button onClick={onClear}>Clear the filters</Button>
    </Empty>
  ) : (
    <Empty title="Nothing is on record yet">
      What is done to the installation is kept for 400 days: accounts, tokens, devices, settings, refused
      sign-ins.
    </Empty>
  )
